import { isRunningJob, mayBeInterrupted, replacedJobs } from "../../model/cluster/jobs.ts";
import { isNamespaceOrCrd } from "../../model/cluster/namespaces-and-crds.ts";
import {
  claimsDeletedByScaling,
  deletesOwnClaims,
  isClaim,
} from "../../model/cluster/persistent-volume-claims.ts";
import { addressOf, nameOf, type ObjectAddress } from "../../model/object.ts";
import { type Plan, replacesPods } from "../../model/plan/plan.ts";
import type { RollbackObstacle } from "../../model/plan/predictions.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { hasSubject, type Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { joinSentences } from "../checks/check-result.ts";
import { otherClusterAddresses } from "./lost-addresses.ts";
import { unreadDeletions } from "./remember-answers.ts";

/** The fixes for the author of a change, who can still avoid the loss. */
const fixesBefore: Readonly<Partial<Record<Finding["code"], string>>> = {
  "data-lost":
    "Keep the claim with the annotation vs.axis-dev.io/keepOnDelete, or save its data before the merge",
  "kept-object-missing": "Keep the object in the cluster until no rollback needs it",
};

/** Converts a finding about the rollback. */
export function findingObstacle({ object, code, what, why, fix }: Finding): RollbackObstacle {
  return { object, what, why, fix: fixesBefore[code] ?? fix };
}

/** Converts an error that would block the rollback. `plan` is the plan of the deployment. */
export function blockerObstacle(blocker: Problem, plan: Plan): RollbackObstacle {
  const { code, what, why, facts = [], fix } = blocker;
  const evidence = facts.map(({ label, value }) => `${label}: ${value}`);
  return {
    object: subjectOf(blocker, plan),
    what,
    why: joinSentences(why, ...evidence) ?? "",
    fix: code === "invalid-object" ? versionFix(blocker) : fix,
  };
}

function versionFix({ fix, facts = [] }: Problem): string {
  const isVersion = facts.some(({ value }) => value.includes("storedVersions"));
  return isVersion
    ? "Add the version with storage: false first, and make it the storage version in a later deployment"
    : fix;
}

function subjectOf(problem: Problem, { changes, deletions }: Plan): ObjectAddress | undefined {
  const found = [
    ...changes.map(({ id, desired }) => ({ id, object: desired })),
    ...deletions.map(({ id, live }) => ({ id, object: live })),
  ].find(({ id }) => hasSubject(problem, nameOf(id)));
  return found && addressOf(found.object);
}

/**
 * Returns the effects of a rollback that don't prevent it. The deleted data didn't exist before the
 * deployment, or the author of the deployment declared that it stays.
 */
export function effectNotes(
  plan: Plan,
  undo: Plan,
  findings: readonly Finding[],
): readonly RollbackObstacle[] {
  const oneWay = undo.notices.filter(({ code }) => code === "one-way-field");
  const migrations = findings.filter(({ code }) => code === "migration-completed");
  return [
    ...migrations.map(findingObstacle),
    ...oneWay.map((notice) => blockerObstacle(notice, undo)),
    ...laterData(undo),
    ...claimsOfFewerPods(undo),
    ...jobsThatCanStay(plan),
    ...otherClusterAddresses(plan, undo),
  ];
}

/**
 * Reports the Jobs that the deployment deletes only if they end before its timeout. A rollback also
 * deletes those that stay, unless the current release declares them.
 */
function jobsThatCanStay({ changes, deletions }: Plan): readonly RollbackObstacle[] {
  const followed = new Set(
    changes.flatMap((change) => replacedJobs(change, deletions).map(({ key }) => key)),
  );
  return deletions
    .filter(({ key, live }) => isRunningJob(live) && !mayBeInterrupted(live) && !followed.has(key))
    .map(({ id, live }) => ({
      object: addressOf(live),
      what: `${nameOf(id)} stays if it still runs at the timeout of the deployment`,
      why: "The deployment doesn't interrupt it, and a rollback then changes another number of objects",
      fix: "Deploy after it ends",
    }));
}

/** Reports data that is written after the deployment and deleted by the rollback. */
function laterData(undo: Plan): readonly RollbackObstacle[] {
  const deleted = undo.deletions
    .filter(({ id, live }) => isClaim(id) || isNamespaceOrCrd(id) || deletesOwnClaims(live))
    .map(({ id, live }) => ({ id, apiVersion: live.apiVersion }));
  const claims = unreadDeletions(undo)
    .filter(({ id }) => isClaim(id))
    .map(({ id }) => ({ id, apiVersion: "v1" }));
  return [...deleted, ...claims].map(({ id, apiVersion }) => ({
    object: { apiVersion, kind: id.kind, namespace: id.namespace, name: id.name },
    what: `${nameOf(id)} is deleted with the data that it contains at that time`,
    why: "The deployment creates it, and the current release doesn't declare it",
    fix: "Save its content before a rollback if it is needed",
  }));
}

/** Reports the claims that the rollback deletes because a StatefulSet gets fewer Pods. */
function claimsOfFewerPods({ changes }: Plan): readonly RollbackObstacle[] {
  return changes.flatMap(({ id, live, predicted, desired, action }) => {
    if (action !== "update" || live === undefined) return [];
    const claims = claimsDeletedByScaling(live, predicted ?? desired);
    if (claims.length === 0) return [];
    return [
      {
        object: addressOf(live),
        what: `${nameOf(id)} gets fewer Pods, and their claims are deleted with the data that they contain at that time`,
        why: "Its persistentVolumeClaimRetentionPolicy is whenScaled: Delete",
        fix: "Save their data before a rollback if it is needed",
      },
    ];
  });
}

/** The maximum number of kinds in a message. */
const maxKinds = 3;

/**
 * Returns the facts without which qvs doesn't know the losses of a plan: the contents of deleted
 * Namespaces and definitions, and the claims of deleted objects.
 */
export function unreadFacts({ changes, deletions }: Plan): readonly RollbackObstacle[] {
  const contents = deletions.flatMap(({ id, live, contents: held }) => {
    const unread = held?.unread ?? [];
    if (unread.length === 0) return [];
    const kinds = summarizeList(
      unread.map(({ kind }) => kind),
      maxKinds,
    );
    const whys = [...new Set(unread.map(({ why }) => why))];
    return [
      {
        object: addressOf(live),
        what: `qvs can't read all objects that are deleted with ${nameOf(id)}`,
        why: `Unread kinds: ${kinds}. The API server answered: ${summarizeList(whys, 1)}`,
        fix: "Allow this identity to list these kinds",
      },
    ];
  });
  const claims = [...deletions, ...changes.filter(replacesPods)].flatMap((each) => {
    const { id, live, alsoDeleted } = each;
    if (live === undefined || alsoDeleted?.unread === undefined) return [];
    return [
      {
        object: addressOf(live),
        what: `qvs can't read the claims that are deleted with ${nameOf(id)}`,
        why: `The API server answered: ${alsoDeleted.unread}`,
        fix: "Allow this identity to list persistentvolumeclaims",
      },
    ];
  });
  return [...contents, ...claims];
}
