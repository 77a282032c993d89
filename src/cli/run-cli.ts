import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { moduleToken } from "../io/git/modules/token.ts";
import { closest } from "../model/text/closest.ts";
import type { Compiler } from "../ports/cue.ts";
import type { World } from "../ports/world.ts";
import { type SentSecrets, sentSecrets } from "../redaction/sent-secrets.ts";
import { openWorld } from "../world/open-world.ts";
import { versionText } from "../world/version.ts";
import { addChanged } from "./changed.ts";
import { addCompile } from "./compile.ts";
import { addCompletion } from "./completion/completion.ts";
import { addDelete } from "./delete.ts";
import { addDeploy, addRollback } from "./deploy.ts";
import { addDescribe } from "./describe.ts";
import { addDiff } from "./diff.ts";
import { addDrift } from "./drift/drift.ts";
import { addReconcile } from "./drift/reconcile.ts";
import { addExamples } from "./examples.ts";
import { type CommonOptions, rejectRepeatedOptions } from "./flags/options.ts";
import { addGraph } from "./graph.ts";
import { addInit } from "./init/init.ts";
import { addLock } from "./lock.ts";
import { describeOption } from "./output/describe-option.ts";
import { createExcerptFinder } from "./output/excerpt.ts";
import { commanderOutput, explainMisuse } from "./output/explain-misuse.ts";
import { firstSteps } from "./output/first-steps.ts";
import { print } from "./output/print.ts";
import { exitCode, reportFailure } from "./output/report-failure.ts";
import { addGet } from "./queries/get.ts";
import { addHealth } from "./queries/health.ts";
import { addReleases } from "./queries/releases.ts";
import { addStatus } from "./queries/status.ts";
import { addRbac } from "./rbac.ts";
import { addSchema } from "./schema.ts";
import { hidingShell, outputColumns, type Shell } from "./shell.ts";
import { unlessInterrupted } from "./unless-interrupted.ts";

/** The work of a command: prints its result and returns the exit code. */
type Action = (world: World, shell: Shell) => Promise<number>;

/** Runs a command with a world, and always closes the world afterwards. */
export type RunCommand = (options: CommonOptions, action: Action) => Promise<void>;

/**
 * Runs the command of argv and returns its exit code (docs/reference/cli.md#exit-codes).
 * 0 means done, 1 an error that the user must fix, and 2 changes found. 3 means superseded by a
 * newer run, 70 a bug in qvs, and 130 interrupted. It stops cleanly when `signal` aborts.
 */
export async function runCli(
  given: Shell,
  compiler: Compiler,
  signal: AbortSignal,
): Promise<number> {
  const sent = sentSecrets();
  const shell = hidingShell(given, sent);
  let code: number = exitCode.done;
  let mayChange = false;
  let changed: "nothing" | "something" = "nothing";
  let writesFiles = false;
  const run: RunCommand = async (options, action) => {
    const world = await openCliWorld(shell, compiler, signal, { ...options, sent });
    try {
      const hasChanged = () => writesFiles || world.hasWritten();
      code = await unlessInterrupted(action(world, shell), signal, hasChanged);
    } catch (error) {
      if (world.hasChanged()) changed = "something";
      throw error;
    } finally {
      world.close();
    }
  };
  try {
    await program(run, shell)
      .hook("preAction", (_, command) => {
        writesFiles = fileWritingCommands.has(command.name());
        mayChange = changingCommands.has(command.name()) && command.opts().check !== true;
      })
      .parseAsync([...shell.argv]);
    return code;
  } catch (error) {
    // Commander has already printed its error, or the help.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCode.done : exitCode.user;
    }
    return reportFailure(error, shell.stderr, {
      findExcerpt: createExcerptFinder(shell.cwd()),
      changed: mayChange ? changed : undefined,
    });
  }
}

/**
 * The commands that write files. After an interruption they finish, because a file must be written
 * completely or not at all.
 */
const fileWritingCommands: ReadonlySet<string> = new Set(["init", "lock", "compile"]);

/**
 * The commands whose errors report whether they changed anything. Users expect no changes from the
 * others.
 */
const changingCommands: ReadonlySet<string> = new Set([
  "init",
  "lock",
  "deploy",
  "rollback",
  "reconcile",
  "delete",
]);

function openCliWorld(
  shell: Shell,
  compiler: Compiler,
  signal: AbortSignal,
  options: CommonOptions & { readonly sent: SentSecrets },
) {
  const { env } = shell;
  const { QVS_MODULES_TOKEN, QVS_MODULES_HOST } = env;
  const { kubeconfig } = options;
  return openWorld({
    directory: shell.cwd(),
    read: "work tree",
    env,
    streams: shell,
    compiler: options.cache === false ? { ...compiler, compileCached: compiler.compile } : compiler,
    kubeconfig: kubeconfig === undefined ? undefined : { path: resolve(shell.cwd(), kubeconfig) },
    signal,
    repositoryName: undefined,
    origin: { commit: undefined, actor: env.USER, run: undefined },
    modulesToken: moduleToken(QVS_MODULES_TOKEN, QVS_MODULES_HOST, env),
    sent: options.sent,
    quiet: options.quiet ?? false,
  });
}

export function program(run: RunCommand, shell: Shell): Command {
  const qvs = new Command("qvs")
    .description("Preview and deploy Kubernetes applications from CUE adapters.")
    .option("-V, --version", "show the version, the build and the CUE version")
    .option(
      "-C <directory>",
      "run in this directory; each further -C is relative to the one before",
    )
    .addHelpText("after", ({ error }) =>
      firstSteps(outputColumns(error ? shell.stderr : shell.stdout)),
    )
    .configureOutput(commanderOutput(shell))
    .configureHelp({ optionDescription: describeOption })
    .showSuggestionAfterError()
    .showHelpAfterError("  help: qvs --help shows the commands")
    .exitOverride();
  qvs
    .on("option:version", () => showVersion(qvs, shell))
    .on("option:C", (folder: string) => {
      changeDirectory(qvs, shell, folder);
    });
  qvs.commandsGroup("Start:");
  addInit(qvs, run);
  addDescribe(qvs, run);
  addCompile(qvs, run);
  addLock(qvs, run);
  qvs.commandsGroup("Change:");
  addDeploy(qvs, run);
  addRollback(qvs, run);
  addReconcile(qvs, run);
  addDelete(qvs, run);
  qvs.commandsGroup("Look:");
  addDiff(qvs, run);
  addStatus(qvs, run);
  addHealth(qvs, run);
  addReleases(qvs, run);
  addDrift(qvs, run);
  addGet(qvs, run);
  addGraph(qvs, run);
  qvs.commandsGroup("CI and tools:");
  addChanged(qvs, run);
  addRbac(qvs, run);
  addSchema(qvs, run);
  addCompletion(qvs, run, shell);
  for (const command of qvs.commands) prepare(command, command.name());
  addHelp(qvs);
  return explainMisuse(qvs, shell);
}

/** Configures a command and its subcommands, such as `get deployments`. */
function prepare(command: Command, name: string): void {
  const has = command.commands.length > 0 ? "commands" : "flags";
  command
    .helpCommand(false)
    .showHelpAfterError(`  help: qvs ${name} --help shows its ${has}`)
    .exitOverride();
  if (name !== "__complete") addExamples(command, name);
  rejectRepeatedOptions(command);
  for (const inner of command.commands) prepare(inner, `${name} ${inner.name()}`);
}

/** Prints the version. It replaces commander's option, which needs the text at every start. */
function showVersion(qvs: Command, shell: Shell): never {
  print(shell.stdout, versionText());
  throw new CommanderError(0, "commander.version", qvs.name());
}

function changeDirectory(qvs: Command, shell: Shell, folder: string): void {
  try {
    shell.chdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "it doesn't exist" : code === "ENOTDIR" ? "it is a file" : code;
    qvs.error(`error: can't run in '${folder}': ${why}`);
  }
}

/**
 * Adds the help command. It replaces commander's command, which prints the general help for an
 * unknown command.
 */
function addHelp(qvs: Command): void {
  qvs
    .helpCommand(false)
    .command("help")
    .argument("[command]")
    .description("show the help of a command")
    .exitOverride()
    .action((name: string | undefined) => {
      if (name === undefined) return qvs.outputHelp();
      const found = qvs.commands.find((command) => command.name() === name);
      if (found !== undefined) return found.outputHelp();
      const names = qvs.commands.map((command) => command.name());
      const meant = closest(name, names);
      const hint = meant === undefined ? "" : `\n  help: Did you mean ${meant}?`;
      return qvs.error(`error: unknown command '${name}'${hint}`);
    });
}
