import { createPoolCompiler } from "../../io/cue/compiler.ts";
import type { Pool } from "../../io/cue/pool.ts";
import { interruptible } from "../../io/terminal/interrupt.ts";
import { outliveReaders } from "../../io/terminal/outlive-readers.ts";
import { compilationsDirectory } from "../../world/cache-directory.ts";
import { exitCode } from "../output/report-failure.ts";
import { runCli } from "./run-cli.ts";

/**
 * Runs `qvs` as a process, with its signals, pipes and exit code. Closes its engines at the end.
 */
export async function runProgram(process: NodeJS.Process, engines: Pool): Promise<void> {
  const compiler = createPoolCompiler(engines, { cache: compilations(process.env, engines) });
  const isOutputLost = outliveReaders(process);
  const interrupt = interruptible(process);
  const code = await runCli(process, compiler, interrupt.signal);
  process.exitCode = code;
  // A pipe or a device can report lost output as late as this.
  process.once("exit", () => {
    if (code === exitCode.done && isOutputLost()) process.exitCode = exitCode.user;
  });
  interrupt.stop();
  // Work that no caller waits for can still be in progress.
  if (process.exitCode === exitCode.interrupted) process.exit();
  await compiler.close();
}

/**
 * Returns the directory of the compilation cache. There is none if the program runs from source,
 * because no single file identifies its version.
 */
function compilations(env: NodeJS.ProcessEnv, { options }: Pool): string | undefined {
  return options.script.pathname.endsWith(".js") ? compilationsDirectory(env) : undefined;
}
