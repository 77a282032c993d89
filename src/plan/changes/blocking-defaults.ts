import type { Clearing } from "../../model/clearing.ts";
import { at, isObject, type Json, type JsonObject } from "../../model/json.ts";
import { type OwnedFields, ownersOf } from "../../model/managed-fields.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager } from "../../model/plan.ts";
import type { LiveObjects } from "../../model/release.ts";
import type { DesiredObject } from "../declared/desired.ts";
import type { DryRunFailure, Predictions } from "../prediction.ts";

export interface BlockedByDefault {
  readonly desired: DesiredObject;
  readonly live: KubeObject;
  readonly clearing: Clearing;
}

/**
 * The objects that are refused only because of a default of the server's (deploy.md §2): it forbids a field that we do not
 * declare and nobody owns, beside one that we do.
 */
export function blockedByDefaults(
  deployment: string,
  objects: readonly DesiredObject[],
  live: LiveObjects,
  predictions: Predictions,
): readonly BlockedByDefault[] {
  return objects.flatMap((desired) => {
    const prediction = predictions.get(desired.key);
    const existing = live.get(desired.key);
    if (existing === undefined || prediction === undefined || prediction.ok) return [];
    const clearing = clearingFor(desired, existing, prediction.failure, deployment);
    return clearing === undefined ? [] : [{ desired, live: existing, clearing }];
  });
}

/** A Deployment's `rollingUpdate` is forbidden beside Recreate, a StatefulSet's is invalid beside OnDelete. */
const refusing: ReadonlySet<string> = new Set(["FieldValueForbidden", "FieldValueInvalid"]);

function clearingFor(
  { object, stage }: DesiredObject,
  live: KubeObject,
  { causes }: DryRunFailure,
  deployment: string,
): Clearing | undefined {
  const [cause, ...others] = causes;
  if (cause === undefined || others.length > 0 || !refusing.has(cause.reason)) return undefined;
  // In lists the server names items by index or key; no default of that kind is known.
  if (!/^\w+(\.\w+)+$/.test(cause.field)) return undefined;
  const field = cause.field.split(".");
  const path = field.slice(0, -1);
  // What stands directly under the spec has too many neighbours to be made anew with them.
  if (path.length < 2) return undefined;
  const value = at(object, ...path);
  const isDefault = at(live, ...field) !== undefined && at(object, ...field) === undefined;
  if (!isObject(value) || !isDefault) return undefined;
  const manager = fieldManager(deployment, stage);
  const isFree = ownersOf(live).every(
    (owner) => isOurs(owner, manager) || !owns(owner.fields, path),
  );
  const isUnowned = ownersOf(live).every((owner) => !owns(owner.fields, field));
  return isFree && isUnowned ? { path, value, removes: cause.field } : undefined;
}

function isOurs(owner: OwnedFields, manager: string): boolean {
  return owner.manager === manager && owner.subresource === "";
}

function owns(fields: JsonObject, path: readonly string[]): boolean {
  return at(fields, ...path.map((step) => `f:${step}`)) !== undefined;
}

/** The manifest without the part: the rest can be asked about as usual. */
export function withoutCleared(object: KubeObject, { path }: Clearing): KubeObject {
  return setAt(object, path, undefined) as KubeObject;
}

/** `object` with the part as it is in `patched`. */
export function withCleared(
  object: KubeObject,
  patched: KubeObject,
  { path }: Clearing,
): KubeObject {
  return setAt(object, path, at(patched, ...path)) as KubeObject;
}

function setAt(value: Json, [step, ...rest]: readonly string[], part: Json | undefined): Json {
  if (step === undefined || !isObject(value)) return value;
  const { [step]: inner = {}, ...others } = value;
  if (rest.length > 0) return { ...others, [step]: setAt(inner, rest, part) };
  return part === undefined ? others : { ...others, [step]: part };
}
