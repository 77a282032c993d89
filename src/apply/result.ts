import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import type { ObjectResult } from "../model/release.ts";
import type { Evidence } from "./failure/evidence.ts";

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
export interface Failure {
  readonly key: string;
  /** A name such as `Deployment shop/web`. */
  readonly name: string;
  /** The resource ID in the compilation. Undefined for a deletion. */
  readonly resource: string | undefined;
  readonly code: ProblemCode;
  /** The cause, without a period. */
  readonly what: string;
  /** The action that the user can take, without a period. */
  readonly fix: string;
  /** Workflow inputs, as `NAME: VALUE`, that do the same as the flags in the fix. */
  readonly inputs?: readonly string[] | undefined;
  readonly evidence: Evidence | undefined;
}

/** Converts a failure to a problem. The evidence is shown separately. */
export function problemOf({ code, what, fix, inputs }: Failure): Problem {
  return { code, where: [], what, fix, inputs };
}
