import { isObject, type JsonObject, sameJson, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { appliedBy } from "../../ssa/managed-fields.ts";

/** Nothing but what the server counts by itself differs, and we own neither more nor less than before. */
export function isNoChange(live: KubeObject, predicted: KubeObject, manager: string): boolean {
  return (
    sameJson(withoutNoise(live), withoutNoise(predicted)) &&
    sameJson(appliedBy(live, manager)?.fields, appliedBy(predicted, manager)?.fields) &&
    textAt(live, "apiVersion") === textAt(predicted, "apiVersion")
  );
}

function withoutNoise(object: KubeObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const {
    managedFields: _fields,
    resourceVersion: _version,
    generation: _generation,
    ...own
  } = isObject(metadata) ? metadata : {};
  return { ...rest, metadata: own };
}
