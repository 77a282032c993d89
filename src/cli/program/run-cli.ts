import { CommanderError } from "commander";
import type { Compiler } from "../../ports/cue.ts";
import type { OpenWorld } from "../../ports/world.ts";
import { sentSecrets } from "../../redaction/sent-secrets.ts";
import type { CommonOptions } from "../flags/options.ts";
import { exitCode, reportFailure } from "../output/report-failure.ts";
import { createExcerptFinder } from "../output/show-problem.ts";
import { buildProgram } from "./build-program.ts";
import { namedCommands } from "./command-table.ts";
import { hidingShell, type Shell, unlessInterrupted } from "./shell.ts";

/** The work of a command: prints its result and returns the exit code. */
type Action = (world: OpenWorld, shell: Shell) => Promise<number>;

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
    // Commands such as `qvs help` need no world, and don't load what opens one.
    const { openCliWorld } = await import("./open-cli-world.ts");
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
    const program = await buildProgram(run, shell, namedCommands(shell.argv.slice(2)));
    program.hook("preAction", (_, command) => {
      writesFiles = fileWritingCommands.has(command.name());
      mayChange = changingCommands.has(command.name()) && command.opts().check !== true;
    });
    await program.parseAsync([...shell.argv]);
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
const fileWritingCommands: ReadonlySet<string> = new Set(["init", "lock", "compile", "schema"]);

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
  "create",
  "sweep",
]);
