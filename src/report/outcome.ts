import type { ObjectResult } from "../model/release.ts";

/** What came of a deployment, as plain data: from the result of an apply, or from a recorded release. */
export interface Outcome {
  readonly deployment: string;
  /** The GitHub environment it went to, if it has one. */
  readonly environment: string | undefined;
  /** Revision of the release; undefined when the run stopped before there was one. */
  readonly revision: number | undefined;
  readonly rollbackOf: number | undefined;
  readonly succeeded: boolean;
  readonly results: readonly ObjectResult[];
  readonly evidence: readonly Evidence[];
  /** Why nothing was tried at all: no plan, lock not free … */
  readonly refusal: string | undefined;
}

/** Why one object failed. */
interface Evidence {
  readonly key: string;
  /** Conditions, events, container states and last log lines: for the run's own log or a terminal only. */
  readonly lines: readonly string[];
  /** The same without what the program itself has written: for the comment and the summary. */
  readonly publicLines: readonly string[];
}

/** In the order in which a reader wants to know them. */
const outcomes: readonly ObjectResult["outcome"][] = [
  "failed",
  "not attempted",
  "created",
  "updated",
  "replaced",
  "deleted",
  "kept",
  "unchanged",
];

/** `Deployed release 4 of shop-prod to production`, or what happened instead. */
export function headline(outcome: Outcome): string {
  const name =
    outcome.environment === undefined
      ? outcome.deployment
      : `${outcome.deployment} to ${outcome.environment}`;
  const origin = outcome.rollbackOf === undefined ? "" : ` (release ${outcome.rollbackOf} again)`;
  const release = outcome.revision === undefined ? "" : ` as release ${outcome.revision}${origin}`;
  const verb = outcome.rollbackOf === undefined ? "Deployed" : "Rolled back";
  return outcome.succeeded ? `${verb} ${name}${release}` : `Failed to deploy ${name}${release}`;
}

/** `1 failed, 2 created, 14 unchanged`; empty without results. */
export function countResults(results: readonly ObjectResult[]): string {
  return outcomes
    .map((outcome) => ({
      outcome,
      number: results.filter((result) => result.outcome === outcome).length,
    }))
    .filter(({ number }) => number > 0)
    .map(({ outcome, number }) => `${number} ${outcome}`)
    .join(", ");
}

/** Sentence that tells what the cluster is left with after a failure. */
export function aftermath({ succeeded, refusal, results }: Outcome): string | undefined {
  if (succeeded) return undefined;
  if (refusal !== undefined) return "Nothing was changed";
  const waiting = results.filter((result) => result.outcome === "not attempted").length;
  const left =
    waiting === 0 ? "" : `; ${waiting} not attempted, so what they would replace keeps serving`;
  return `Nothing was deleted after the failure${left}`;
}
