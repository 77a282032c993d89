import { compilationsFolder } from "../cache-folder.ts";
import { compilerOver } from "../io/cue/compiler.ts";
import type { Pool } from "../io/cue/pool.ts";
import { interruptible } from "./interrupt.ts";
import { runCli } from "./run.ts";
import { outliveReaders } from "./shell.ts";

/** `qvs` as a process: its signals, its pipes, its exit code, and the engines that end with it. */
export async function runProgram(process: NodeJS.Process, engines: Pool): Promise<void> {
  const compiler = compilerOver(engines, { cache: compilations(process.env, engines) });
  outliveReaders(process);
  const interrupt = interruptible(process);
  process.exitCode = await runCli(process, compiler, interrupt.signal);
  interrupt.stop();
  await compiler.close();
}

/** Where earlier runs have left what they compiled. Run from its source, the program is no file that could be told from another. */
function compilations(env: NodeJS.ProcessEnv, { options }: Pool): string | undefined {
  return options.script.pathname.endsWith(".js") ? compilationsFolder(env) : undefined;
}
