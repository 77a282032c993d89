import { annotate } from "../io/github/annotations.ts";
import { logLines } from "../io/github/log.ts";
import { explainRefusal, messageOf, statusOf } from "../io/github/refusal.ts";
import type { Problem } from "../model/problems/problem.ts";

/** What every comment needs. */
const toComment = "pull-requests: write";

/**
 * A comment is optional: summary, outputs and annotations contain everything already, and what was deployed is
 * deployed. So any error with it becomes a warning and does not change the outcome of the step.
 */
export async function bestEffortGitHub(
  doing: string,
  work: () => Promise<void>,
  permissions = toComment,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const warning = describe(doing, error, permissions);
    logLines(`${warning.what}\n  → ${warning.fix}`);
    annotate([warning], "warning", "QVS");
  }
}

function describe(doing: string, error: unknown, permissions: string): Problem {
  const status = statusOf(error);
  const message = messageOf(error);
  const answer = status === undefined ? message : `${status}: ${message}`;
  const { why, fix } = explainRefusal(error, permissions);
  return {
    code: "github-api-error",
    where: [],
    what: `Cannot ${doing}: GitHub answered ${answer}: ${why}`,
    fix,
  };
}
