import { setFailed } from "@actions/core";
import type { Compiler } from "../ports.ts";
import { runAction } from "./run.ts";

/** The Action as a process, which ends with its engine. What goes wrong here is not the user's fault. */
export async function runProgram(env: NodeJS.ProcessEnv, compiler: Compiler): Promise<void> {
  try {
    await runAction(env, compiler);
  } catch (error) {
    setFailed(error instanceof Error ? `A bug in qvs: ${error.stack}` : String(error));
  } finally {
    await compiler.close();
  }
}
