import { Command, CommanderError } from "commander";
import type { World } from "../commands/world.ts";
import type { Compiler } from "../ports.ts";
import { openWorld } from "../world.ts";
import { addCompile } from "./compile.ts";
import { addDeploy, addRollback } from "./deploy.ts";
import { addDiff } from "./diff.ts";
import { exitCode, reportFailure } from "./failure.ts";
import { interruptible } from "./interrupt.ts";
import type { CommonOptions } from "./options.ts";

/** What a command does with the world: prints its result and answers with the exit code. */
export type Action = (world: World) => Promise<number>;

/** Runs a command with a world that is closed afterwards, whatever happens. */
export type RunCommand = (options: CommonOptions, action: Action) => Promise<void>;

/** argv → one command → exit code (spec §9): 0 done, 1 the user's to mend, 2 changes found, 70 a bug of ours. */
export async function runCli(argv: readonly string[], compiler: Compiler): Promise<number> {
  const interrupt = interruptible(process);
  let code = 0;
  const run: RunCommand = async (options, action) => {
    const world = await openWorld({
      directory: process.cwd(),
      env: process.env,
      compiler,
      kubeconfig: options.kubeconfig === undefined ? undefined : { path: options.kubeconfig },
      signal: interrupt.signal,
      repositoryName: undefined,
      origin: { commit: undefined, actor: process.env.USER, run: undefined },
      quiet: options.quiet ?? false,
    });
    try {
      code = await action(world);
    } finally {
      world.close();
    }
  };
  try {
    await program(run).parseAsync([...argv]);
  } catch (error) {
    // Commander has said itself what it did not understand, or what the help is.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCode.done : exitCode.user;
    code = reportFailure(error, process.stderr);
  } finally {
    interrupt.stop();
    await compiler.close();
  }
  return code;
}

function program(run: RunCommand): Command {
  const qvs = new Command("qvs")
    .description("Compile QVS configs, preview what they change, and deploy them to Kubernetes.")
    .version("0.1.0")
    .showHelpAfterError("(qvs --help shows the commands)")
    .showSuggestionAfterError()
    .exitOverride();
  addCompile(qvs, run);
  addDiff(qvs, run);
  addDeploy(qvs, run);
  addRollback(qvs, run);
  for (const command of qvs.commands) command.exitOverride();
  return qvs;
}
