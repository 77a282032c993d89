import type { Problem } from "../model/problems/problem.ts";
import type { ObjectResult } from "../model/release.ts";
import type { FailureEvidence } from "./failure/evidence.ts";
import type { FailureExplanation } from "./failure/explain-failure.ts";

/** The result of applying a plan, as plain data. */
export interface ApplyResult {
  /** True if every object is ready or suspended on purpose, and every deletion is done or kept. */
  readonly succeeded: boolean;
  /** One result for each object of the plan, in its order: changes, deletions, kept objects. */
  readonly results: readonly ObjectResult[];
  /** The failures in the order of the plan. */
  readonly failures: readonly Failure[];
  /** The reason why the run ended early, other than a failure. */
  readonly stopped: "cancelled" | "lock lost" | "superseded" | undefined;
  /** The state that a failed run leaves for the users of the application. Empty after a success. */
  readonly stillServing: readonly string[];
  /** Warnings of the API server that the plan doesn't contain. They don't stop the run. */
  readonly notices?: readonly Problem[];
}

/** One object that failed. */
export interface Failure extends FailureExplanation {
  readonly key: string;
  /** A name such as `Deployment shop/web`. */
  readonly name: string;
  /** The resource ID in the compilation. Undefined for a deletion. */
  readonly resource: string | undefined;
  /** The fact and its evidence on one line. Undefined for the fact with the values of `facts`. */
  readonly detail?: string | undefined;
  readonly evidence: FailureEvidence | undefined;
}

/** Returns the fact with its evidence on one line: `not ready after 600 s: 2/3 ready`. */
export function failureDetail({
  detail,
  what,
  facts = [],
}: Pick<Failure, "detail" | "what" | "facts">): string {
  return detail ?? [what, ...facts.map(({ value }) => value)].join(": ");
}

/** Converts a failure to a problem. The evidence is shown separately. */
export function toProblem(failure: Failure): Problem {
  const { name, code, what, why, facts, fix, otherwise, inputs } = failure;
  const subjects = [name];
  return {
    ...{ code, subjects, where: [], what: `${name}: ${what}`, why, facts, fix, otherwise, inputs },
  };
}
