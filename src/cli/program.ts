import { compilerOver } from "../io/cue/compiler.ts";
import type { Pool } from "../io/cue/pool.ts";
import { interruptible } from "../io/terminal/interrupt.ts";
import { outliveReaders } from "../io/terminal/outlive-readers.ts";
import { compilationsFolder } from "../world/cache-folder.ts";
import { exitCode } from "./output/failure.ts";
import { runCli } from "./run.ts";

/** `qvs` as a process: its signals, its pipes, its exit code, and the engines that end with it. */
export async function runProgram(process: NodeJS.Process, engines: Pool): Promise<void> {
  const compiler = compilerOver(engines, { cache: compilations(process.env, engines) });
  const isOutputLost = outliveReaders(process);
  const interrupt = interruptible(process);
  const code = await runCli(process, compiler, interrupt.signal);
  process.exitCode = code;
  // A pipe or a device may report that only now.
  process.once("exit", () => {
    if (code === exitCode.done && isOutputLost()) process.exitCode = exitCode.user;
  });
  interrupt.stop();
  // Something may still be under way that nobody waits for any more.
  if (process.exitCode === exitCode.interrupted) process.exit();
  await compiler.close();
}

/**
 * The cache of earlier runs. None if the program runs from source: then there is no single file that identifies its
 * version.
 */
function compilations(env: NodeJS.ProcessEnv, { options }: Pool): string | undefined {
  return options.script.pathname.endsWith(".js") ? compilationsFolder(env) : undefined;
}
