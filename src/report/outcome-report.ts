import type { Timeline } from "../model/deployments/event.ts";
import type { ObjectResult } from "../model/deployments/release.ts";

/** The result of a deployment as plain data, from an apply or from a recorded release. */
export interface OutcomeReport {
  readonly deployment: string;
  /** The GitHub environment of the deployment, if any. */
  readonly environment: string | undefined;
  /** The revision of the release. Undefined if the run ended before it recorded one. */
  readonly revision: number | undefined;
  readonly rollbackOf: number | undefined;
  /** Set for a rollback without a release: it was blocked or ended early. */
  readonly goesBack?: boolean;
  readonly succeeded: boolean;
  /** True if nothing had to change. The release is then the previous one. */
  readonly unchanged?: boolean;
  /** The reason why a late run had nothing to do. */
  readonly superseded?: string | undefined;
  /**
   * True if the run was skipped because the branch no longer lists the deployment. Otherwise, a
   * newer commit is deployed.
   */
  readonly noLongerListed?: boolean;
  /** The reason for an early end that isn't a failure, such as `the run was canceled`. */
  readonly stopped?: string | undefined;
  /** True if a user canceled the run. */
  readonly cancelled?: boolean;
  /**
   * True if the run was superseded while it waited. `notices` names the newer run, which continues.
   */
  readonly gaveWay?: boolean;
  /** Notices that didn't stop the run. */
  readonly notices?: readonly string[];
  /** The ways back after a failure, such as `To go back to release 7: qvs rollback …`. */
  readonly waysBack?: readonly string[];
  readonly results: readonly ObjectResult[];
  /** The durations. Undefined if nothing was done. */
  readonly timeline?: Timeline;
  readonly evidence: readonly EvidenceLines[];
  /** The reason why nothing was attempted, such as no plan or a held deployment lock. */
  readonly refusal: string | undefined;
  /** Set if qvs wrote something before it was blocked, such as the namespace of the releases. */
  readonly hasChanged?: true;
  /**
   * Set if the deployment was removed from the list. qvs deleted it, or should have deleted it but
   * kept it.
   */
  readonly removal?: "delete" | "keep";
}

/** The evidence for the failure of one object. */
interface EvidenceLines {
  readonly key: string;
  /**
   * Conditions, events, container states and last log lines. Only for the run's log or a terminal.
   */
  readonly lines: readonly string[];
  /** The lines without the program's own output. For the comment and the summary. */
  readonly publicLines: readonly string[];
}

/** The outcomes in the order of interest to a reader. */
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

/** Returns `Deployed shop-prod to production as release 4`, or another result of the run. */
export function headline(outcome: OutcomeReport): string {
  const isRollback = outcome.goesBack === true || outcome.rollbackOf !== undefined;
  const name = deploymentName(outcome, "in");
  if (outcome.gaveWay === true) {
    const isNew = outcome.unchanged !== true && outcome.revision !== undefined;
    const release = isNew ? `, release ${outcome.revision}` : "";
    return `Superseded ${name}${release}: a newer run took over`;
  }
  if (outcome.superseded !== undefined) {
    const why = outcome.noLongerListed ? "no longer lists it" : "is already deployed";
    return `Skipped ${name}: a newer commit ${why}`;
  }
  if (outcome.removal !== undefined) return removalHeadline(outcome);
  if (outcome.unchanged === true && outcome.succeeded) {
    return `No changes for ${name}: release ${outcome.revision} is current`;
  }
  const origin =
    outcome.rollbackOf === undefined ? "" : ` (rollback to release ${outcome.rollbackOf})`;
  const isNew = outcome.revision !== undefined && outcome.unchanged !== true;
  const release = !isNew ? "" : ` as release ${outcome.revision}${origin}`;
  return isRollback
    ? `${verbs.rollback[runEnding(outcome)]} ${name}${release}`
    : `${verbs.deploy[runEnding(outcome)]} ${deploymentName(outcome, "to")}${release}`;
}

function deploymentName(
  { deployment, environment }: OutcomeReport,
  preposition: "in" | "to" | "from",
): string {
  return environment === undefined ? deployment : `${deployment} ${preposition} ${environment}`;
}

function runEnding({ succeeded, cancelled, stopped }: OutcomeReport): RunEnding {
  if (succeeded) return "succeeded";
  if (cancelled === true) return "cancelled";
  return stopped === undefined ? "failed" : "stopped";
}

type RunEnding = "succeeded" | "failed" | "cancelled" | "stopped";

const verbs: Readonly<
  Record<"deploy" | "rollback" | "delete", Readonly<Record<RunEnding, string>>>
> = {
  deploy: {
    succeeded: "Deployed",
    failed: "Failed to deploy",
    cancelled: "Canceled while deploying",
    stopped: "Stopped deploying",
  },
  rollback: {
    succeeded: "Rolled back",
    failed: "Failed to roll back",
    cancelled: "Canceled while rolling back",
    stopped: "Stopped rolling back",
  },
  delete: {
    succeeded: "Deleted",
    failed: "Failed to delete",
    cancelled: "Canceled while deleting",
    stopped: "Stopped deleting",
  },
};

function removalHeadline(outcome: OutcomeReport): string {
  const { removal, unchanged } = outcome;
  const name = deploymentName(outcome, "from");
  if (removal === "keep") return `Didn't delete ${name}, which was removed from the list`;
  if (unchanged === true) return `Already deleted ${name}`;
  return `${verbs.delete[runEnding(outcome)]} ${name}`;
}

/** Returns `1 failed, 2 created, 14 unchanged`. Empty without results. */
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

/** Returns the remarks that aren't about objects: the reason for a skipped run, and notices. */
export function remarks({ superseded, notices = [] }: OutcomeReport): readonly string[] {
  return [...(superseded === undefined ? [] : [superseded]), ...notices];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Replaces "Nothing was changed" if qvs wrote something before an error. */
export const alreadyWrittenText =
  "qvs had already written objects. The next run continues from the current state of the cluster";

/** Describes the state of the cluster after a failure. */
export function aftermath(outcome: OutcomeReport): string | undefined {
  const { succeeded, refusal, results, unchanged, stopped } = outcome;
  if (succeeded) return undefined;
  if (outcome.hasChanged === true) {
    return alreadyWrittenText;
  }
  if (refusal !== undefined || unchanged === true) return "Nothing was changed";
  if (outcome.removal !== undefined)
    return "The remaining objects and their releases stay. To delete the rest, start this run again";
  const waiting = results.filter((result) => result.outcome === "not attempted").length;
  const left =
    waiting === 1
      ? ["1 object wasn't attempted, so the version that it would replace keeps serving"]
      : [
          `${waiting} objects weren't attempted, so the versions that they would replace keep serving`,
        ];
  const kept = waiting === 0 ? [] : left;
  const sentences =
    stopped === undefined
      ? ["Nothing was deleted after the failure", ...kept]
      : [
          sentence(stopped),
          "Nothing was deleted after that",
          ...kept,
          "The next run continues from the current state of the cluster",
        ];
  return sentences.join(". ");
}
