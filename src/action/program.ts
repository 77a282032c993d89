import { createPoolCompiler } from "../io/cue/compiler.ts";
import type { Pool } from "../io/cue/pool.ts";
import { failStep } from "../io/github/annotations.ts";
import { mask } from "../io/github/log.ts";
import { outliveReaders } from "../io/terminal/outlive-readers.ts";
import { sentSecrets } from "../redaction/sent-secrets.ts";
import { runAction } from "./run-action.ts";

/**
 * Runs the Action as a process, and closes its engines at the end.
 * An error that arrives here is a bug of qvs. The Action stores no compilations: a workflow that a
 * pull request changed can write anything into a cache. Later runs of that pull request would
 * restore it, and their preview would deceive reviewers.
 */
export async function runProgram(env: NodeJS.ProcessEnv, engines: Pool): Promise<void> {
  const compiler = createPoolCompiler(engines, {});
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
  // Without this, a request that waits for a rate limit would keep the process alive.
  if (isCancelled) process.exit();
}
