import type { KubeObject, ObjectId } from "../model/object.ts";
import { fieldManager } from "../model/plan.ts";
import type { LiveObjects } from "../model/release.ts";
import type { DesiredObject } from "./desired.ts";
import { ownersOf } from "./managed-fields.ts";

/** Plain data: the server adds no default to it, and what it holds is never compared with anything else. */
const plainKinds: readonly string[] = ["ConfigMap", "Secret"];

/**
 * Objects that a deployment need not ask about: plain data that is new, or that nobody but us owns a field of, so
 * that there can't be a conflict. One of each kind, namespace and action is asked about all the same: it stands for
 * what concerns them all, such as a missing permission, namespace or quota. `objects` are sorted by key.
 */
export function selfEvidentKeys(
  deployment: string,
  objects: readonly DesiredObject[],
  live: LiveObjects,
): ReadonlySet<string> {
  const represented = new Set<string>();
  const evident = new Set<string>();
  for (const desired of objects) {
    const existing = live.get(desired.key);
    if (!isPlainData(desired.id) || !isOursAlone(deployment, desired, existing)) continue;
    const series = `${desired.id.kind} ${desired.id.namespace} ${existing === undefined}`;
    if (represented.has(series)) evident.add(desired.key);
    represented.add(series);
  }
  return evident;
}

function isPlainData({ group, kind }: ObjectId): boolean {
  return group === "" && plainKinds.includes(kind);
}

function isOursAlone(
  deployment: string,
  { stage }: DesiredObject,
  live: KubeObject | undefined,
): boolean {
  if (live === undefined) return true;
  if (live.immutable === true || live.metadata.deletionTimestamp !== undefined) return false;
  const manager = fieldManager(deployment, stage);
  return ownersOf(live).every((owner) => owner.manager === manager && owner.operation === "Apply");
}
