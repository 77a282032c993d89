import type { Deployment } from "../model/deployments/deployment.ts";
import { isReversible } from "../model/plan/predictions.ts";
import type { Problem } from "../model/problems/problem.ts";
import { deleteEnvironmentCommand, rollbackCommand } from "../model/text/qvs-commands.ts";
import { commitName } from "../releases/current-release.ts";
import { releaseStatus } from "../releases/select.ts";
import type { DeployedOutcome } from "./deploy-outcome.ts";
import { remainderNotices } from "./recording/end-deployment.ts";
import { rollbackNotices } from "./roll-back-after-failure.ts";
import { supersededNotice } from "./yield-rules.ts";

type DeploymentAddress = Pick<Deployment, "name" | "namespace" | "context">;

/**
 * Describes the release: `release 4 succeeded`, the release that a rollback restored, or the
 * unchanged current release.
 */
export function describeRelease(outcome: DeployedOutcome): string {
  const { release, isNewRelease, result } = outcome;
  const { revision, source, rollbackOf } = release;
  if (outcome.remainder === "nothing" && result.succeeded) return "deleted";
  if (outcome.remainder === "kept objects") return "deleted, except kept objects";
  const status = outcome.superseded === undefined ? statusText(release) : "superseded";
  if (!isNewRelease) {
    const ready = result.succeeded ? "" : ", but not all objects are ready";
    return `release ${revision} unchanged${ready}`;
  }
  // A rollback restores recorded manifests. The working tree doesn't matter.
  if (rollbackOf !== undefined)
    return `release ${revision} ${status} (rollback to release ${rollbackOf})`;
  const after =
    outcome.wentBack?.type === "went back" ? `, ${describeRelease(outcome.wentBack.outcome)}` : "";
  return `release ${revision} ${status}${source.uncommitted === true ? ` from ${commitName(source)}` : ""}${after}`;
}

/** Returns the status in US spelling. The record keeps `cancelled`. */
function statusText(release: DeployedOutcome["release"]): string {
  const status = releaseStatus(release);
  return status === "cancelled" ? "canceled" : status;
}

/** Describes a correction: `shop release 4 corrected: 2 updated, 1 created`. */
export function describeCorrection(outcome: DeployedOutcome): string {
  const { plan, release, result } = outcome;
  const status = correctionStatus(outcome);
  const counts = (["created", "updated", "replaced", "deleted"] as const)
    .map((kind) => ({ kind, number: result.results.filter((one) => one.outcome === kind).length }))
    .filter(({ number }) => number > 0)
    .map(({ kind, number }) => `${number} ${kind}`);
  const done = counts.length === 0 ? "" : `: ${counts.join(", ")}`;
  const what = status === "corrected" ? status : `correction ${status}`;
  return `${plan.deployment} release ${release.revision} ${what}${done}`;
}

function correctionStatus({ result, superseded }: DeployedOutcome): string {
  if (superseded !== undefined) return "superseded";
  if (result.succeeded) return "corrected";
  return result.stopped === "cancelled" ? "canceled" : "failed";
}

/** Returns the notices of an outcome, which blocked nothing. */
export function outcomeNotices(
  outcome: DeployedOutcome,
  deployment: DeploymentAddress,
): readonly Problem[] {
  const { plan, isNewRelease, rollbackOf, remainder } = outcome;
  if (remainder !== undefined)
    return [
      ...plan.notices,
      ...remainderNotices(plan, outcome.result, keptFixes(outcome, deployment)),
    ];
  const newerRun = outcome.superseded;
  const superseded = [
    ...(newerRun === undefined ? [] : [supersededNotice(deployment.name, newerRun)]),
    ...rollbackNotices(outcome.wentBack),
  ];
  const changesNothing = !isNewRelease && rollbackOf !== undefined;
  return changesNothing
    ? [...superseded, unchangedRollbackNotice(outcome, rollbackOf, deployment), ...plan.notices]
    : [...superseded, ...plan.notices, ...limitedRollbackNotices(outcome)];
}

/** Returns the fixes for kept objects. That of environments also deletes those with a key. */
function keptFixes(
  { release: { environment } }: DeployedOutcome,
  deployment: DeploymentAddress,
): Pick<Problem, "fix" | "otherwise"> {
  if (environment !== undefined)
    return {
      fix: `Delete the objects of others, then run this: ${deleteEnvironmentCommand(environment, deployment)}`,
      otherwise: ["leave the rest to the next sweep"],
    };
  return {
    fix: "Run this again with --delete-kept to delete the objects that have a key",
    otherwise: ["delete the objects yourself, then run this again to delete the releases"],
  };
}

/** Reports after a success that a rollback wouldn't restore everything. */
function limitedRollbackNotices({ rollback, result }: DeployedOutcome): readonly Problem[] {
  if (rollback === undefined || !result.succeeded || isReversible(rollback)) return [];
  const { to, possible, lost, reasons } = rollback;
  if (possible === undefined) return [];
  const facts = [...reasons, ...lost];
  return [
    {
      code: "not-reversible",
      what: possible
        ? `A rollback to release ${to} doesn't restore everything`
        : `A rollback to release ${to} isn't possible`,
      why: facts.map(({ what }) => what).join(". "),
      fix: "Correct a fault of this release by another deployment",
      where: [],
    },
  ];
}

function unchangedRollbackNotice(
  { release, previous }: DeployedOutcome,
  to: number,
  deployment: DeploymentAddress,
): Problem {
  const what =
    to === release.revision
      ? `Release ${to} is already the current release`
      : `Release ${to} has the same objects as the current release ${release.revision}`;
  const others =
    previous === undefined
      ? {
          fix: "Nothing to do: nothing was changed, and no recorded release that succeeded has other objects",
        }
      : {
          fix: "Nothing to do: nothing was changed",
          otherwise: [
            `roll back to release ${previous}, which has other objects: ${rollbackCommand(deployment, previous)}`,
          ],
        };
  return { code: "nothing-to-change", where: [], what, ...others };
}

/** Returns the rollback command after a failed deployment. */
export function rollbackAdvice(
  { previous, result, superseded, wentBack, rollbackOf }: DeployedOutcome,
  place: DeploymentAddress,
): readonly string[] {
  if (result.succeeded || previous === undefined || superseded !== undefined) return [];
  // A rollback that was blocked or failed just now would fail again.
  if (wentBack !== undefined || rollbackOf === previous) return [];
  return [`To roll back to release ${previous}: ${rollbackCommand(place, previous)}`];
}
