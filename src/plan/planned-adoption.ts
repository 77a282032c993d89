import { type Adoption, adoptionOf, withoutLastApplied } from "../model/adoption.ts";
import { pruneFields } from "../model/field-sets.ts";
import { appliedBy } from "../model/managed-fields.ts";
import type { KubeObject } from "../model/object.ts";
import { fieldManager, type PlannedAdoption } from "../model/plan.ts";
import type { LiveObjects } from "../model/release.ts";
import type { DesiredObject } from "./desired.ts";
import { underFreeName } from "./under-free-name.ts";

export interface AdoptedChange {
  readonly adopts: PlannedAdoption;
  /** The server's prediction without what nobody declares any more; undefined where there is none. */
  readonly predicted: KubeObject | undefined;
}

/**
 * What it means to take over the fields of client-side tools (deploy.md §2): they become ours, and those that we do not
 * declare are removed. A dry-run can't show that, since it begins with the owners of now; so what it answers is pruned
 * here by the server's own rule. `asNew` is what it would make of the object if there were none yet: its defaults come back.
 * undefined when there is nothing to take over.
 */
export function planAdoption(
  deployment: string,
  { stage }: DesiredObject,
  live: KubeObject,
  predicted: KubeObject | undefined,
  asNew: KubeObject | undefined,
): AdoptedChange | undefined {
  const adoption = adoptionOf(live, deployment, stage);
  if (adoption === undefined) return undefined;
  const { managers, fields } = adoption;
  const left = predicted === undefined ? undefined : adoptionOf(predicted, deployment, stage);
  if (predicted === undefined || left === undefined) {
    return { adopts: { managers, fields, removes: [] }, predicted };
  }
  const ours = appliedBy(predicted, fieldManager(deployment, stage))?.fields ?? {};
  const { value, removed } = pruneFields(withoutLastApplied(predicted), {
    dropped: left.fields,
    kept: [ours, ...left.others],
    defaults: asNew,
  });
  return {
    adopts: { managers, fields, removes: removed },
    predicted: withOwners(value as KubeObject, left),
  };
}

/** The objects that take over something, under a name that is free: a dry-run of them shows the server's defaults. */
export function objectsAsNew(
  deployment: string,
  objects: readonly DesiredObject[],
  live: LiveObjects,
): readonly DesiredObject[] {
  return objects.flatMap((desired) => {
    const existing = live.get(desired.key);
    if (existing === undefined || adoptionOf(existing, deployment, desired.stage) === undefined) {
      return [];
    }
    return [underFreeName(desired)];
  });
}

/** The owners as they will be, so that a comparison with what is live sees them change. */
function withOwners(object: KubeObject, { managedFields }: Adoption): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
