import { describeProblem, UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import type { Outcome } from "./events.ts";

/** What came of a look that ended with an error. Nothing was changed, unless it is a bug in qvs: only that shows a stack trace. */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof UserError) return outcomeOfProblems(error.problems);
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: "failed", why };
}

function outcomeOfProblems(problems: readonly Problem[]): Outcome {
  const why = problems.map(describeProblem).join("; ");
  const has = (...codes: readonly ProblemCode[]) =>
    problems.some(({ code }) => codes.includes(code));
  if (has("cluster-unreachable", "api-unavailable")) return { type: "unreachable", why };
  if (has("lock-held")) return { type: "locked", why };
  if (has("release-not-succeeded")) return { type: "waiting", why };
  if (has("deployments-frozen")) return { type: "frozen", why };
  return { type: "refused", why };
}
