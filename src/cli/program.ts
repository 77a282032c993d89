import type { Compiler } from "../ports.ts";
import { interruptible } from "./interrupt.ts";
import { runCli } from "./run.ts";
import { outliveReaders } from "./shell.ts";

/** `qvs` as a process: its signals, its pipes, its exit code, and the engine that ends with it. */
export async function runProgram(process: NodeJS.Process, compiler: Compiler): Promise<void> {
  outliveReaders(process);
  const interrupt = interruptible(process);
  process.exitCode = await runCli(process, compiler, interrupt.signal);
  interrupt.stop();
  await compiler.close();
}
