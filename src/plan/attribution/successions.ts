import type { Succession } from "../../model/attribution.ts";
import type { Plan } from "../../model/plan.ts";
import type { RecordedObject, Records } from "./records.ts";

/**
 * The objects that take the place of others: the same resource of the same adapter, of the same kind, under another name. Exact, since
 * releases record which resource each object was.
 */
export function successionsIn(plan: Plan, { last }: Records): ReadonlyMap<string, Succession> {
  const leaving = [...plan.deletions.filter(({ retires }) => retires === undefined), ...plan.kept];
  const bySlot = new Map<string, Succession>();
  for (const { key, id } of leaving) {
    const recorded = last.get(key);
    if (recorded === undefined) continue;
    const slot = slotOf(recorded.manifest, id);
    const { object } = recorded;
    // Of several only the newest is succeeded: records are in the order of releases.
    if (isNewer(recorded, bySlot.get(slot), last)) bySlot.set(slot, { of: key, before: object });
  }
  return new Map(
    plan.changes.flatMap(({ key, id, stage, resource }) => {
      const found = bySlot.get(slotOf({ stage, resource }, id));
      return found === undefined || found.of === key ? [] : [[key, found] as const];
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
  return other === undefined || one.revision > (last.get(other.of)?.revision ?? 0);
}
