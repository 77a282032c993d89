import type { Succession } from "../../model/attribution.ts";
import type { Plan } from "../../model/plan.ts";
import type { RecordedObject, Records } from "./records.ts";

/**
 * Finds the objects that succeed others: the same resource of the same adapter and kind, under
 * another name.
 * The result is exact, because releases record the resource of each object.
 */
export function successionsIn(plan: Plan, { last }: Records): ReadonlyMap<string, Succession> {
  const leaving = [
    ...plan.deletions.filter(({ prunedRevision }) => prunedRevision === undefined),
    ...plan.kept,
  ];
  const bySlot = new Map<string, Succession>();
  for (const { key, id } of leaving) {
    const recorded = last.get(key);
    if (recorded === undefined) continue;
    const slot = slotOf(recorded.manifest, id);
    const { object } = recorded;
    // If there are several, only the object of the newest release is the predecessor.
    if (isNewer(recorded, bySlot.get(slot), last))
      bySlot.set(slot, { predecessor: key, before: object });
  }
  return new Map(
    plan.changes.flatMap(({ key, id, stage, resource }) => {
      const found = bySlot.get(slotOf({ stage, resource }, id));
      return found === undefined || found.predecessor === key ? [] : [[key, found] as const];
    }),
  );
}

function slotOf(
  { stage, resource }: Pick<RecordedObject["manifest"], "stage" | "resource">,
  { group, kind, namespace }: Plan["deletions"][number]["id"],
): string {
  return JSON.stringify([stage, resource, group, kind, namespace]);
}

function isNewer(
  one: RecordedObject,
  other: Succession | undefined,
  last: Records["last"],
): boolean {
  return other === undefined || one.revision > (last.get(other.predecessor)?.revision ?? 0);
}
