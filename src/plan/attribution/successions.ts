import type { Succession } from "../../model/attribution.ts";
import type { Plan } from "../../model/plan.ts";
import type { RecordedObject, ReleaseRecords } from "./release-records.ts";

/**
 * Finds the objects that succeed others: the same resource of the same adapter and kind, under
 * another name.
 * The result is exact, because releases record the resource of each object.
 */
export function findSuccessions(
  plan: Plan,
  { lastDeclared }: ReleaseRecords,
): ReadonlyMap<string, Succession> {
  const removed = [
    ...plan.deletions.filter(({ prunedRevision }) => prunedRevision === undefined),
    ...plan.kept,
  ];
  const bySlot = new Map<string, Succession>();
  for (const { key, id } of removed) {
    const recorded = lastDeclared.get(key);
    if (recorded === undefined) continue;
    const slot = successionSlot(recorded.manifest, id);
    const { object } = recorded;
    // If there are several, only the object of the newest release is the predecessor.
    if (isNewer(recorded, bySlot.get(slot), lastDeclared))
      bySlot.set(slot, { predecessor: key, before: object });
  }
  return new Map(
    plan.changes.flatMap(({ key, id, stage, resource }) => {
      const found = bySlot.get(successionSlot({ stage, resource }, id));
      return found === undefined || found.predecessor === key ? [] : [[key, found] as const];
    }),
  );
}

function successionSlot(
  { stage, resource }: Pick<RecordedObject["manifest"], "stage" | "resource">,
  { group, kind, namespace }: Plan["deletions"][number]["id"],
): string {
  return JSON.stringify([stage, resource, group, kind, namespace]);
}

function isNewer(
  one: RecordedObject,
  other: Succession | undefined,
  last: ReleaseRecords["lastDeclared"],
): boolean {
  return other === undefined || one.revision > (last.get(other.predecessor)?.revision ?? 0);
}
