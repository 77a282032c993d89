import { isObject, type JsonObject, sameJson, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { fieldManager } from "../../model/plan.ts";
import { findApplyEntry } from "../../ssa/managed-fields.ts";
import { hasFieldManager } from "../../ssa/steps/transfer-ownership.ts";
import type { DesiredObject } from "../declared/objects.ts";
import type { PlanInput } from "../plan-input.ts";
import { compareWithLive } from "./compare-with-live.ts";

/**
 * Reports whether an object stays the same.
 * Taking fields from a manager changes the owners, even if all values stay.
 */
export function remainsUnchanged(
  { stage }: DesiredObject,
  live: KubeObject | undefined,
  predicted: KubeObject,
  { rules: { deployment, policy } }: PlanInput,
): boolean {
  if (live === undefined || hasFieldManager(live, policy.conflicts.takeover)) return false;
  return isSameObject(live, predicted, fieldManager(deployment, stage));
}

/**
 * Reports whether the fields that qvs applied prove that the object stays the same, without a dry
 * run.
 */
export function isProvenUnchanged(
  deployment: string,
  { object, provable = object, stage }: DesiredObject,
  live: KubeObject,
  takeover: readonly string[] = [],
): boolean {
  if (hasFieldManager(live, takeover)) return false;
  return compareWithLive(provable, live, fieldManager(deployment, stage)) === "unchanged";
}

/**
 * Reports whether only values that the API server counts differ, and this deployment owns the same
 * fields.
 */
function isSameObject(live: KubeObject, predicted: KubeObject, manager: string): boolean {
  return (
    sameJson(withoutServerCounters(live), withoutServerCounters(predicted)) &&
    sameJson(findApplyEntry(live, manager)?.fields, findApplyEntry(predicted, manager)?.fields) &&
    textAt(live, "apiVersion") === textAt(predicted, "apiVersion")
  );
}

function withoutServerCounters(object: KubeObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const {
    managedFields: _fields,
    resourceVersion: _version,
    generation: _generation,
    ...own
  } = isObject(metadata) ? metadata : {};
  return { ...rest, metadata: own };
}
