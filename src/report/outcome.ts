import type { ObjectResult } from "../model/release.ts";
import type { Timeline } from "../model/timeline.ts";
import { plural } from "./text/counts.ts";

/** What came of a deployment, as plain data: from the result of an apply, or from a recorded release. */
export interface Outcome {
  readonly deployment: string;
  /** The GitHub environment it went to, if it has one. */
  readonly environment: string | undefined;
  /** Revision of the release; undefined when the run stopped before there was one. */
  readonly revision: number | undefined;
  readonly rollbackOf: number | undefined;
  /** Set for a rollback that came to no release: it was refused, or broke off. */
  readonly goesBack?: boolean;
  readonly succeeded: boolean;
  /** Nothing was to be changed, so that the release is the one that ran before. */
  readonly unchanged?: boolean;
  /** Why there was nothing to do for a run that was late. */
  readonly superseded?: string | undefined;
  /** Set where it was skipped since the branch lists it no longer; otherwise a newer commit runs. */
  readonly noLongerListed?: boolean;
  /** Why it ended early, if not by a failure: `the run was cancelled`. */
  readonly stopped?: string | undefined;
  /** Set where that was somebody's wish. */
  readonly cancelled?: boolean;
  /** It stopped waiting for a newer run, which goes on from there; `notices` say which. */
  readonly gaveWay?: boolean;
  /** What should be known although it stopped nothing. */
  readonly notices?: readonly string[];
  /** After a failure, how to go back: `To go back to release 7: qvs rollback …`. */
  readonly waysBack?: readonly string[];
  readonly results: readonly ObjectResult[];
  /** What took how long; undefined where nothing was done. */
  readonly timeline?: Timeline;
  readonly evidence: readonly Evidence[];
  /** Why nothing was tried at all: no plan, lock not free … */
  readonly refusal: string | undefined;
  /** Set where something was written before it was refused, such as the namespace of the releases. */
  readonly hasChanged?: true;
  /** Set where it was removed from the list: it was deleted for that, or stays although it should have been deleted. */
  readonly removal?: "delete" | "keep";
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

/** `Deployed shop-prod to production as release 4`, or what happened instead. */
export function headline(outcome: Outcome): string {
  const goesBack = outcome.goesBack === true || outcome.rollbackOf !== undefined;
  const name =
    outcome.environment === undefined
      ? outcome.deployment
      : `${outcome.deployment} ${goesBack ? "in" : "to"} ${outcome.environment}`;
  if (outcome.gaveWay === true) {
    const isNew = outcome.unchanged !== true && outcome.revision !== undefined;
    const release = isNew ? `, release ${outcome.revision}` : "";
    return `Superseded ${name}${release}: a newer run took over`;
  }
  if (outcome.superseded !== undefined) {
    const why = outcome.noLongerListed ? "no longer lists it" : "runs already";
    return `Skipped ${name}: a newer commit ${why}`;
  }
  if (outcome.removal !== undefined) return headlineOfRemoval(outcome);
  if (outcome.unchanged === true && outcome.succeeded) {
    return `Nothing to change in ${name}: release ${outcome.revision} runs`;
  }
  const origin = outcome.rollbackOf === undefined ? "" : ` (release ${outcome.rollbackOf} again)`;
  const isNew = outcome.revision !== undefined && outcome.unchanged !== true;
  const release = !isNew ? "" : ` as release ${outcome.revision}${origin}`;
  return `${verbs[goesBack ? "rollback" : "deploy"][endingOf(outcome)]} ${name}${release}`;
}

function endingOf({ succeeded, cancelled, stopped }: Outcome): Ending {
  if (succeeded) return "succeeded";
  if (cancelled === true) return "cancelled";
  return stopped === undefined ? "failed" : "stopped";
}

type Ending = "succeeded" | "failed" | "cancelled" | "stopped";

const verbs: Readonly<Record<"deploy" | "rollback" | "delete", Readonly<Record<Ending, string>>>> =
  {
    deploy: {
      succeeded: "Deployed",
      failed: "Failed to deploy",
      cancelled: "Cancelled while deploying",
      stopped: "Stopped deploying",
    },
    rollback: {
      succeeded: "Rolled back",
      failed: "Failed to roll back",
      cancelled: "Cancelled while rolling back",
      stopped: "Stopped rolling back",
    },
    delete: {
      succeeded: "Deleted",
      failed: "Failed to delete",
      cancelled: "Cancelled while deleting",
      stopped: "Stopped deleting",
    },
  };

function headlineOfRemoval(outcome: Outcome): string {
  const { deployment, environment, removal, unchanged } = outcome;
  const name = environment === undefined ? deployment : `${deployment} from ${environment}`;
  if (removal === "keep") return `Did not delete ${name}, which was removed`;
  if (unchanged === true) return `Nothing left to delete of ${name}`;
  return `${verbs.delete[endingOf(outcome)]} ${name}`;
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

/** What is to be told besides the objects, a line each: why it was skipped, what should be known. */
export function remarks({ superseded, notices = [] }: Outcome): readonly string[] {
  return [...(superseded === undefined ? [] : [superseded]), ...notices];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Takes the place of "Nothing was changed" where something was written before an error. */
export const writtenBefore =
  "Objects were written before this. The next run continues from what is in the cluster";

/** Sentence that tells what the cluster is left with after a failure. */
export function aftermath(outcome: Outcome): string | undefined {
  const { succeeded, refusal, results, unchanged, stopped } = outcome;
  if (succeeded) return undefined;
  if (outcome.hasChanged === true) {
    return writtenBefore;
  }
  if (refusal !== undefined || unchanged === true) return "Nothing was changed";
  if (outcome.removal !== undefined)
    return "What was not deleted stays, with the releases that know of it: start this run again to delete the rest";
  const waiting = results.filter((result) => result.outcome === "not attempted").length;
  const theirs =
    waiting === 1 ? "was not attempted, so what it" : "were not attempted, so what they";
  const left =
    waiting === 0 ? "" : `; ${plural(waiting, "object")} ${theirs} would replace keeps serving`;
  const kept = `othing was deleted after ${stopped === undefined ? "the failure" : "that"}${left}`;
  if (stopped === undefined) return `N${kept}`;
  return `${sentence(stopped)}; n${kept}. The next run continues from what is in the cluster`;
}
