import { at, isObject, type JsonObject } from "../../model/json.ts";
import { notCompared } from "../../model/not-compared.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change, RedactedObjects } from "../../model/plan.ts";
import { onlyFields, unionOfFields } from "../../ssa/field-sets.ts";
import { ownFields } from "../../ssa/managed-fields.ts";
import { fieldsTakenOver } from "../../ssa/steps/transfer-ownership.ts";
import type { ForeignObject } from "./foreign.ts";

type Shown = Pick<RedactedObjects, "live" | "predicted">;

/**
 * Returns the visible part of a live object and of its prediction, if they aren't visible as a
 * whole.
 * For an object outside this deployment, these are the fields that this deployment takes. For a
 * Secret, the keys of other managers are left out. The result never reveals whether another owner's
 * value equals the declared one.
 */
export function shownPart(
  change: Change,
  deployment: string,
  foreign: ForeignObject | undefined,
): RedactedObjects | undefined {
  const part = partOfChange(change, deployment, foreign);
  return part && { ...part, isComplete: false };
}

function partOfChange(
  change: Change,
  deployment: string,
  foreign: ForeignObject | undefined,
): Shown | undefined {
  const { live, predicted, desired } = change;
  const isForeign = foreign !== undefined;
  if (live === undefined || (!isForeign && desired.kind !== "Secret")) return undefined;
  if (foreign?.isNamesake) return { live: partOf(live, {}), predicted: undefined };
  const shown = isForeign ? partThatBecomesOurs(change, live, deployment) : { live, predicted };
  if (desired.kind !== "Secret") return shown;
  const own = isForeign ? {} : ownFields(live, deployment);
  return ofSecret(shown, change, own);
}

/**
 * Returns the fields that this deployment owns after the change.
 * The API server accepted the declared values, so each live value was equal or had no owner.
 */
function partThatBecomesOurs(
  { steps, predicted }: Change,
  live: KubeObject,
  deployment: string,
): Shown {
  const ours = predicted === undefined ? {} : ownFields(predicted, deployment);
  const taken = unionOfFields([fieldsTakenOver(steps), ours]);
  return {
    live: partOf(live, taken),
    predicted: predicted && partOf(predicted, ours),
  };
}

function partOf(object: KubeObject, fields: JsonObject): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const found = Object.keys(fields).length === 0 ? undefined : onlyFields(object, fields);
  const part = isObject(found) ? found : {};
  const { name, namespace } = metadata;
  const identity = { ...(name ? { name } : {}), ...(namespace ? { namespace } : {}) };
  const own = isObject(part.metadata) ? part.metadata : {};
  return { ...part, apiVersion, kind, metadata: { ...own, ...identity } };
}

function ofSecret(
  { live, predicted }: Shown,
  { steps, desired, dryRunSkipped }: Change,
  own: JsonObject,
): Shown {
  const taken = unionOfFields([keysIn(own), keysIn(fieldsTakenOver(steps))]);
  const declared = isObject(desired.data) ? Object.keys(desired.data) : [];
  const ofAnswer = unionOfFields([taken, ...declared.map((key) => ({ [`f:${key}`]: {} }))]);
  const unknown = dryRunSkipped === undefined ? undefined : keysIn(own);
  return {
    live: withData(live, taken, unknown),
    predicted: predicted && withData(predicted, ofAnswer),
  };
}

function keysIn(fields: JsonObject): JsonObject {
  const keys = at(fields, "f:data");
  return isObject(keys) ? keys : {};
}

/**
 * Returns a Secret with only these keys.
 * If the third parameter is set, only its keys keep their values. The other keys are compared with
 * nothing.
 */
function withData(secret: KubeObject, keys: JsonObject, told?: JsonObject): KubeObject {
  if (!isObject(secret.data)) return secret;
  const data = Object.entries(secret.data)
    .filter(([key]) => Object.hasOwn(keys, `f:${key}`))
    .map(([key, value]) =>
      told === undefined || Object.hasOwn(told, `f:${key}`) ? [key, value] : [key, notCompared],
    );
  const { data: _data, ...rest } = secret;
  return (data.length === 0 ? rest : { ...rest, data: Object.fromEntries(data) }) as KubeObject;
}
