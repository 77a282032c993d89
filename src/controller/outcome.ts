import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import { problemOnOneLine } from "../model/problems/problem-text.ts";
import type { Outcome } from "./events.ts";

/** The API server is away, or overloaded: that passes by itself. */
const away: readonly ProblemCode[] = ["cluster-unreachable", "api-unavailable"];
/** Somebody has written after the plan was made, or taken a field to them. The next plan takes it into account. */
const overtaking: readonly ProblemCode[] = ["object-changed", "field-conflict"];

/** What came of a look that ended with an error. Nothing was changed, unless it is a bug in qvs: only that shows a stack trace. */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof UserError) return outcomeOfProblems(error.problems);
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: "failed", why };
}

function outcomeOfProblems(problems: readonly Problem[]): Outcome {
  const why = problems.map(problemOnOneLine).join("; ");
  const has = (...codes: readonly ProblemCode[]) =>
    problems.some(({ code }) => codes.includes(code));
  if (has(...away)) return { type: "unreachable", why };
  if (has("lock-held")) return { type: "locked", why };
  if (has("release-not-succeeded")) return { type: "waiting", why };
  if (has("deployments-frozen")) return { type: "frozen", why };
  return { type: "refused", why };
}

/** Why an object could not be put right. */
interface FailedObject extends Pick<Problem, "code" | "what" | "fix"> {
  /** `Deployment shop/web`. */
  readonly name: string;
}

/** What came of a correction that did not get to its end; `objects` are the keys of what it has put right all the same. */
export function outcomeOfFailures(
  failures: readonly FailedObject[],
  objects: readonly string[],
): Outcome {
  const why = failures.map(({ name, what, fix }) => `${name}: ${what} → ${fix}`).join("; ");
  const areAll = (codes: readonly ProblemCode[]) =>
    failures.length > 0 && failures.every(({ code }) => codes.includes(code));
  if (areAll(overtaking)) return { type: "overtaken", objects, why };
  if (areAll(away)) return { type: "unreachable", why };
  return { type: "failed", why };
}
