import { claimsDeletedByScaling, isClaim } from "../../model/cluster/persistent-volume-claims.ts";
import { numberAt } from "../../model/json.ts";
import { nameOf, type ObjectId } from "../../model/object.ts";
import type { AlsoDeleted } from "../../model/plan/deletion.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { asPlanned } from "../planned-pods.ts";
import { findingWithoutPlace } from "../rule.ts";

/**
 * Reports objects that the garbage collector or the StatefulSet controller deletes, although the
 * plan doesn't name them.
 */
export function deletesDependents({ plan }: { readonly plan: Plan }): readonly Finding[] {
  const recreated = plan.changes.flatMap((change) =>
    change.alsoDeleted === undefined
      ? []
      : alsoDeletedFindings(
          { ...change, live: change.live ?? change.desired },
          change.alsoDeleted,
          "recreated",
        ),
  );
  const deleted = plan.deletions.flatMap((deletion) =>
    deletion.alsoDeleted === undefined
      ? []
      : alsoDeletedFindings(deletion, deletion.alsoDeleted, "deleted"),
  );
  return [...recreated, ...deleted, ...plan.changes.flatMap(scaleDownFindings)];
}

const maxNames = 10;

function alsoDeletedFindings(
  { id, live }: Pick<Plan["deletions"][number], "id" | "live">,
  { objects, unread }: AlsoDeleted,
  how: string,
): readonly Finding[] {
  const claims = objects.filter((one) => isClaim(one.id));
  const others = objects.filter((one) => !isClaim(one.id));
  const withOthers = (ids: readonly { readonly id: ObjectId }[]) =>
    `${nameOf(id)} is ${how}, which deletes ${summarizeList(
      ids.map((one) => nameOf(one.id)),
      maxNames,
    )}`;
  const unknown: readonly Finding[] = [
    findingWithoutPlace(live, {
      code: "data-lost",
      severity: "warning",
      what: `${nameOf(id)} is ${how}, which might delete claims`,
      why: `qvs can't find out which claims are deleted: ${unread}`,
      fix: "Allow this identity to list the claims of the namespace, or check which of them name it as their owner",
    }),
  ];
  return [
    ...(claims.length === 0
      ? []
      : [
          findingWithoutPlace(live, {
            code: "data-lost",
            severity: "warning",
            what: withOthers(claims),
            why: "They belong to it by its persistentVolumeClaimRetentionPolicy or by their ownerReferences",
            fix: "Make sure that their data is no longer needed or has a backup",
          }),
        ]),
    ...(unread === undefined ? [] : unknown),
    ...(others.length === 0
      ? []
      : [
          findingWithoutPlace(live, {
            code: "deletes-dependents",
            severity: "warning",
            what: withOthers(others),
            why: "They have no other owner",
            fix: "Make sure that no one needs them, or remove it from their metadata.ownerReferences",
          }),
        ]),
  ];
}

/**
 * Reports claims that are deleted when a StatefulSet scales down.
 * Its controller deletes the claims of the removed Pods.
 */
function scaleDownFindings(change: Change): readonly Finding[] {
  const { action, live, id } = change;
  if (action !== "update" || live === undefined) return [];
  const after = asPlanned(change);
  // The manifest has no number and there was no dry run, so another tool sets the number.
  if (numberAt(after, "spec", "replicas") === undefined) return [];
  const claims = claimsDeletedByScaling(live, after);
  if (claims.length === 0) return [];
  return [
    findingWithoutPlace(live, {
      code: "data-lost",
      severity: "warning",
      what: `${nameOf(id)} gets fewer Pods, which deletes ${summarizeList(claims.map(nameOf), maxNames)}`,
      why: "Its persistentVolumeClaimRetentionPolicy is whenScaled: Delete",
      fix: "Make sure that their data is no longer needed, or declare whenScaled: Retain first",
    }),
  ];
}
