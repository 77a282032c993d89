import { compilerOver } from "../io/cue/compiler.ts";
import type { Pool } from "../io/cue/pool.ts";
import { failStep } from "../io/github/annotations.ts";
import { mask } from "../io/github/log.ts";
import { outliveReaders } from "../io/terminal/outlive-readers.ts";
import { sentSecrets } from "../redaction/sent-secrets.ts";
import { runAction } from "./run.ts";

/**
 * The Action as a process, which ends with its engines. What goes wrong here is not the user's fault. It keeps no
 * compilations: a workflow that a pull request has changed can put anything into a cache that later runs of the pull
 * request restore, and their preview would deceive reviewers.
 */
export async function runProgram(env: NodeJS.ProcessEnv, engines: Pool): Promise<void> {
  const compiler = compilerOver(engines, {});
  const isOutputLost = outliveReaders(process);
  const sent = sentSecrets(mask);
  let isCancelled = false;
  try {
    isCancelled = await runAction(env, compiler, sent);
  } catch (error) {
    failStep(sent.hide(error instanceof Error ? `A bug in qvs: ${error.stack}` : String(error)));
  } finally {
    await compiler.close();
  }
  if (isOutputLost()) process.exitCode ||= 1;
  // What waits for a rate limit to end would keep the process for that long.
  if (isCancelled) process.exit();
}
