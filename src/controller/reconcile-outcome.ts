import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import type { CheckOutcome } from "./events.ts";

/** Errors of an unreachable or overloaded API server. They are temporary. */
const unavailableCodes: readonly ProblemCode[] = ["cluster-unreachable", "api-unavailable"];
/**
 * Errors after another client changed the object or took ownership of a field. The next plan
 * includes that change.
 */
const conflictCodes: readonly ProblemCode[] = ["object-changed", "field-conflict"];

/**
 * Returns the outcome of a check that ended with an error. Only an internal error shows a stack
 * trace.
 * After any other error, the check has changed nothing.
 */
export function errorOutcome(error: unknown): CheckOutcome {
  if (error instanceof UserError) return problemOutcome(error.problems);
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { type: "failed", why };
}

function problemOutcome(problems: readonly Problem[]): CheckOutcome {
  const why = problems.map(formatOnOneLine).join("; ");
  const has = (...codes: readonly ProblemCode[]) =>
    problems.some(({ code }) => codes.includes(code));
  if (has(...unavailableCodes)) return { type: "unreachable", why };
  if (has("lock-held")) return { type: "locked", why };
  if (has("release-not-succeeded")) return { type: "waiting", why };
  if (has("deployments-frozen")) return { type: "frozen", why };
  return { type: "refused", why };
}

type ExplainedProblem = Pick<Problem, "code" | "what" | "facts" | "why" | "fix">;

/** Returns `what: evidence: why → fix`. */
function formatOnOneLine({ what, facts = [], why, fix }: ExplainedProblem): string {
  const values = facts.map(({ value }) => value);
  const known = [what, ...values, why].filter((text) => text !== undefined && text !== "");
  return `${known.join(": ")}${fix === "" ? "" : ` → ${fix}`}`;
}

/** An object that couldn't be corrected, with the reason. */
interface FailedObject extends ExplainedProblem {
  /** `Deployment shop/web`. */
  readonly name: string;
}

/**
 * Returns the outcome of an incomplete correction. `objects` are the keys of the corrected objects.
 */
export function failureOutcome(
  failures: readonly FailedObject[],
  objects: readonly string[],
): CheckOutcome {
  const why = failures.map((failure) => `${failure.name}: ${formatOnOneLine(failure)}`).join("; ");
  const areAll = (codes: readonly ProblemCode[]) =>
    failures.length > 0 && failures.every(({ code }) => codes.includes(code));
  if (areAll(conflictCodes)) return { type: "overtaken", objects, why };
  if (areAll(unavailableCodes)) return { type: "unreachable", why };
  return { type: "failed", why };
}
