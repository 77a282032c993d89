import { type Adoption, adoptionOf, withoutLastApplied } from "../../model/adoption.ts";
import type { Stage } from "../../model/compilation.ts";
import { fieldsPresent, type Pruned, pruneFields } from "../../model/field-sets.ts";
import { appliedBy } from "../../model/managed-fields.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager, type PlannedAdoption } from "../../model/plan.ts";
import type { LiveObjects } from "../../model/release.ts";
import type { DesiredObject } from "../declared/desired.ts";
import type { Predictions } from "../prediction.ts";

export interface AdoptedChange {
  readonly adopts: PlannedAdoption;
  /** The server's prediction without what nobody declares any more. */
  readonly predicted: KubeObject;
}

/**
 * What it means to take over the fields of client-side tools (deploy.md §2): they become ours, and those that we do not
 * declare are removed. A dry-run can't show that, since it begins with the owners of now; so what it answers is pruned
 * here by the server's own rule. `losing` is what the server makes of the pruned object (`objectsThatLose`): it fills in
 * defaults and keeps what it has allocated, such as node ports. undefined when there is nothing to take over.
 */
export function planAdoption(
  deployment: string,
  { stage }: DesiredObject,
  live: KubeObject,
  predicted: KubeObject,
  losing: KubeObject | undefined,
): AdoptedChange | undefined {
  const adoption = adoptionOf(live, deployment, stage);
  if (adoption === undefined) return undefined;
  const { managers, fields } = adoption;
  const left = adoptionOf(predicted, deployment, stage);
  if (left === undefined) return { adopts: { managers, fields, removes: [] }, predicted };
  const { value, removed } = pruned(deployment, stage, predicted, left, losing);
  return {
    adopts: { managers, fields, removes: removed },
    predicted: withOwners(value as KubeObject, left),
  };
}

/** The same where the server can't be asked: of what is taken over, what is declared stays. */
export function planAdoptionUnasked(
  deployment: string,
  { stage, object }: DesiredObject,
  live: KubeObject,
): PlannedAdoption | undefined {
  const adoption = adoptionOf(live, deployment, stage);
  if (adoption === undefined) return undefined;
  const { managers, fields, others } = adoption;
  const kept = [fieldsPresent(fields, object), ...others];
  const pruning = { dropped: fields, kept, defaults: undefined };
  return { managers, fields, removes: pruneFields(withoutLastApplied(live), pruning).removed };
}

/** A live object, and what is left of it when it is taken over and what nobody declares any more is gone. */
export interface Losing {
  readonly desired: DesiredObject;
  readonly live: KubeObject;
  readonly left: KubeObject;
}

/** The objects that lose something by being taken over: the server is asked whether they may, and what it puts in its place. */
export function objectsThatLose(
  deployment: string,
  objects: readonly DesiredObject[],
  live: LiveObjects,
  predictions: Predictions,
): readonly Losing[] {
  return objects.flatMap((desired) => {
    const existing = live.get(desired.key);
    const prediction = predictions.get(desired.key);
    if (existing === undefined || prediction?.ok !== true) return [];
    const left = adoptionOf(prediction.value, deployment, desired.stage);
    if (left === undefined) return [];
    const { value, removed } = pruned(deployment, desired.stage, prediction.value, left);
    return removed.length === 0 ? [] : [{ desired, live: existing, left: value as KubeObject }];
  });
}

function pruned(
  deployment: string,
  stage: Stage,
  predicted: KubeObject,
  { fields, others }: Adoption,
  defaults?: KubeObject,
): Pruned {
  const ours = appliedBy(predicted, fieldManager(deployment, stage))?.fields ?? {};
  const pruning = { dropped: fields, kept: [ours, ...others], defaults };
  return pruneFields(withoutLastApplied(predicted), pruning);
}

/** The owners as they will be, so that a comparison with what is live sees them change. */
function withOwners(object: KubeObject, { managedFields }: Adoption): KubeObject {
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
