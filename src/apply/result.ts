import type { Problem } from "../model/problems/problem.ts";
import type { ProblemCode } from "../model/problems/problem-codes.ts";
import type { ObjectResult } from "../model/release.ts";
import type { Evidence } from "./failure/evidence.ts";

/** The result of a plan, as plain data. */
export interface ApplyResult {
  /** Everything that was planned is there, ready, or suspended on purpose; everything to be deleted was deleted or kept. */
  readonly succeeded: boolean;
  /** One per object of the plan, in its order: changes, deletions, kept. */
  readonly results: readonly ObjectResult[];
  /** In the order of the plan. */
  readonly failures: readonly Failure[];
  /** Why the run ended early, if not by a failure. */
  readonly stopped: "cancelled" | "lock lost" | "superseded" | undefined;
  /** What the users of the application still have after a failure; empty when all went well. */
  readonly stillServing: readonly string[];
  /** What the API server warned of besides what the plan says; stops nothing. */
  readonly notices?: readonly Problem[];
}

/** One object that failed. */
export interface Failure {
  readonly key: string;
  /** `Deployment shop/web`. */
  readonly name: string;
  /** Resource id in the compilation; undefined for a deletion. */
  readonly resource: string | undefined;
  readonly code: ProblemCode;
  /** What is wrong, no full stop. */
  readonly what: string;
  /** What to do, no full stop. */
  readonly fix: string;
  /** Inputs of the workflows that do the same as the flags of the cure, as `NAME: VALUE`. */
  readonly inputs?: readonly string[] | undefined;
  readonly evidence: Evidence | undefined;
}

/** As it is told beside other problems; evidence is shown apart. */
export function problemOf({ code, what, fix, inputs }: Failure): Problem {
  return { code, where: [], what, fix, inputs };
}
