import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type { World } from "../commands/world.ts";
import { moduleToken } from "../io/git/module-token.ts";
import type { Compiler } from "../ports.ts";
import { openWorld } from "../world.ts";
import { addCompile } from "./compile.ts";
import { addDeploy, addRollback } from "./deploy.ts";
import { addDescribe } from "./describe.ts";
import { addDiff } from "./diff.ts";
import { excerptsAround } from "./excerpt.ts";
import { exitCode, reportFailure } from "./failure.ts";
import { addLock } from "./lock.ts";
import type { CommonOptions } from "./options.ts";
import type { Shell } from "./shell.ts";

/** What a command does with the world: prints its result and answers with the exit code. */
type Action = (world: World, shell: Shell) => Promise<number>;

/** Runs a command with a world that is closed afterwards, whatever happens. */
export type RunCommand = (options: CommonOptions, action: Action) => Promise<void>;

/**
 * argv → one command → exit code (spec §9): 0 done, 1 the user's to mend, 2 changes found, 70 a bug of ours, 130
 * interrupted. Stops cleanly when `signal` aborts.
 */
export async function runCli(
  shell: Shell,
  compiler: Compiler,
  signal: AbortSignal,
): Promise<number> {
  let code: number = exitCode.done;
  const run: RunCommand = async (options, action) => {
    const world = await openCliWorld(shell, compiler, signal, options);
    try {
      code = await action(world, shell);
    } finally {
      world.close();
    }
  };
  try {
    await program(run, shell).parseAsync([...shell.argv]);
    return code;
  } catch (error) {
    // Commander has said itself what it did not understand, or what the help is.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCode.done : exitCode.user;
    }
    return reportFailure(error, shell.stderr, excerptsAround(shell.cwd()));
  }
}

function openCliWorld(
  shell: Shell,
  compiler: Compiler,
  signal: AbortSignal,
  options: CommonOptions,
) {
  const { env } = shell;
  const { QVS_MODULES_TOKEN, QVS_MODULES_HOST } = env;
  const { kubeconfig } = options;
  return openWorld({
    directory: shell.cwd(),
    read: "work tree",
    env,
    compiler: options.cache === false ? { ...compiler, recall: compiler.compile } : compiler,
    kubeconfig: kubeconfig === undefined ? undefined : { path: resolve(shell.cwd(), kubeconfig) },
    signal,
    repositoryName: undefined,
    origin: { commit: undefined, actor: env.USER, run: undefined },
    modulesToken: moduleToken(QVS_MODULES_TOKEN, QVS_MODULES_HOST, env),
    quiet: options.quiet ?? false,
  });
}

function program(run: RunCommand, shell: Shell): Command {
  const qvs = new Command("qvs")
    .description("Compile QVS configs, preview what they change, and deploy them to Kubernetes.")
    .version(manifest.version)
    .addHelpText("after", firstSteps)
    .configureOutput(outputTo(shell))
    .showSuggestionAfterError()
    .showHelpAfterError("  → qvs --help shows the commands")
    .exitOverride();
  addCompile(qvs, run);
  addDescribe(qvs, run);
  addDiff(qvs, run);
  addDeploy(qvs, run);
  addRollback(qvs, run);
  addLock(qvs, run);
  for (const command of qvs.commands) {
    command.showHelpAfterError(`  → qvs ${command.name()} --help shows its flags`).exitOverride();
  }
  return qvs;
}

const firstSteps = `
In a repository with .valuestream/qvs.yaml:
  qvs compile                       the manifests, on stdout
  qvs describe PATTERN              the parameters of an adapter
  qvs diff                          what a deployment would change; writes nothing
  qvs deploy                        apply it, wait until all is ready, delete what is gone
  qvs rollback --to previous        back to the release before
  qvs lock                          keep modules from git at the commits that they are now`;

/** Commander begins its messages with a lower-case "error:"; ours are sentences. */
function outputTo({ stdout, stderr }: Shell) {
  return {
    writeOut: (text: string) => void stdout.write(text),
    writeErr: (text: string) => void stderr.write(text),
    outputError: (text: string, write: (text: string) => void) =>
      write(text.replace(/^error: (\w)/, (_, first: string) => first.toUpperCase())),
  };
}
