import { describeProblem, UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import type { Outcome } from "./events.ts";

/** Errors of an unreachable or overloaded API server. They are temporary. */
const away: readonly ProblemCode[] = ["cluster-unreachable", "api-unavailable"];
/**
 * Errors after another client changed the object or took ownership of a field. The next plan
 * includes that change.
 */
const overtaking: readonly ProblemCode[] = ["object-changed", "field-conflict"];

/**
 * Returns the outcome of a check that ended with an error. Only an internal error shows a stack
 * trace.
 * After any other error, the check has changed nothing.
 */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof UserError) return outcomeOfProblems(error.problems);
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: "failed", why };
}

function outcomeOfProblems(problems: readonly Problem[]): Outcome {
  const why = problems.map(describeProblem).join("; ");
  const has = (...codes: readonly ProblemCode[]) =>
    problems.some(({ code }) => codes.includes(code));
  if (has(...away)) return { type: "unreachable", why };
  if (has("lock-held")) return { type: "locked", why };
  if (has("release-not-succeeded")) return { type: "waiting", why };
  if (has("deployments-frozen")) return { type: "frozen", why };
  return { type: "refused", why };
}

/** An object that couldn't be corrected, with the reason. */
interface FailedObject extends Pick<Problem, "code" | "what" | "fix"> {
  /** `Deployment shop/web`. */
  readonly name: string;
}

/**
 * Returns the outcome of an incomplete correction. `objects` are the keys of the corrected objects.
 */
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
