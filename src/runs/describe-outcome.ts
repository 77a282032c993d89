import type { Deployment } from "../model/deployment.ts";
import type { Problem } from "../model/problems/problem.ts";
import { rollbackCommand } from "../model/text/rollback-command.ts";
import { commitName } from "../releases/current-release.ts";
import { releaseStatus } from "../releases/release-status.ts";
import type { DeployedOutcome } from "./deploy-outcome.ts";
import { gaveWay } from "./give-way.ts";
import { noticesOfGoingBack } from "./go-back.ts";
import { noticesOfRemainder } from "./recording/end-deployment.ts";

type Place = Pick<Deployment, "name" | "namespace" | "context">;

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
  const how = howCorrected(outcome);
  const counts = (["created", "updated", "replaced", "deleted"] as const)
    .map((kind) => ({ kind, number: result.results.filter((one) => one.outcome === kind).length }))
    .filter(({ number }) => number > 0)
    .map(({ kind, number }) => `${number} ${kind}`);
  const done = counts.length === 0 ? "" : `: ${counts.join(", ")}`;
  const what = how === "corrected" ? how : `correction ${how}`;
  return `${plan.deployment} release ${release.revision} ${what}${done}`;
}

function howCorrected({ result, superseded }: DeployedOutcome): string {
  if (superseded !== undefined) return "superseded";
  if (result.succeeded) return "corrected";
  return result.stopped === "cancelled" ? "canceled" : "failed";
}

/** Returns the notices of an outcome, which blocked nothing. */
export function noticesOf(outcome: DeployedOutcome, deployment: Place): readonly Problem[] {
  const { plan, isNewRelease, rollbackOf, remainder } = outcome;
  if (remainder !== undefined)
    return [...plan.notices, ...noticesOfRemainder(plan, outcome.result, "--delete-kept")];
  const took = outcome.superseded;
  const superseded = [
    ...(took === undefined ? [] : [gaveWay(deployment.name, took)]),
    ...noticesOfGoingBack(outcome.wentBack),
  ];
  const changesNothing = !isNewRelease && rollbackOf !== undefined;
  return changesNothing
    ? [...superseded, nothingToGoBackTo(outcome, rollbackOf, deployment), ...plan.notices]
    : [...superseded, ...plan.notices];
}

function nothingToGoBackTo(
  { release, previous }: DeployedOutcome,
  to: number,
  deployment: Place,
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
export function waysBack(
  { previous, result, superseded, wentBack, rollbackOf }: DeployedOutcome,
  place: Place,
): readonly string[] {
  if (result.succeeded || previous === undefined || superseded !== undefined) return [];
  // A rollback that was blocked or failed just now would fail again.
  if (wentBack !== undefined || rollbackOf === previous) return [];
  return [`To roll back to release ${previous}: ${rollbackCommand(place, previous)}`];
}
