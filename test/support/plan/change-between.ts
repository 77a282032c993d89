import { parse } from "yaml";
import { idOf, type KubeObject, keyOf } from "../../../src/model/object.ts";
import type { KeptObject } from "../../../src/model/plan/deletion.ts";
import type { Change, Plan } from "../../../src/model/plan/plan.ts";

/** Parses one object; its namespace is `shop` unless it names another or none. */
export function objectFrom(yaml: string): KubeObject {
  return parse(yaml) as KubeObject;
}

/** Returns the change from a live object to a declared one, without an answer to a dry run. */
export function changeBetween(
  live: KubeObject | undefined,
  desired: KubeObject,
  more: Partial<Change> = {},
): Change {
  const id = idOf(desired);
  return {
    ...{ key: keyOf(id), id, stage: "app", resource: id.name, desired, live, after: [] },
    ...{ action: live === undefined ? "create" : "update", steps: [{ type: "apply" }] },
    ...{ predicted: undefined, certainty: { by: "comparison" } },
    ...more,
  };
}

export function deletionOf(
  live: KubeObject,
  more: Partial<Plan["deletions"][number]> = {},
): Plan["deletions"][number] {
  const id = idOf(live);
  const { apiVersion } = live;
  return { key: keyOf(id), id, stage: "app", apiVersion, uid: "1", live, after: [], ...more };
}

/** Returns a plan of `shop` with these parts. */
export function planWith(parts: Partial<Plan>): Plan {
  return {
    ...{ deployment: "shop", namespace: "shop", changes: [], deletions: [], kept: [] },
    ...{ notices: [], digest: "" },
    ...parts,
  };
}

export function keptBecause(object: KubeObject, why: KeptObject["why"]): KeptObject {
  const id = idOf(object);
  return { key: keyOf(id), id, why, detail: "" };
}

/** Returns the object with an entry of a field manager. */
export function ownedBy(object: KubeObject, manager: string, fields: string): KubeObject {
  const entry = {
    ...{ manager, operation: "Update", apiVersion: object.apiVersion },
    fieldsV1: JSON.parse(fields),
  };
  const before = (object.metadata["managedFields"] ?? []) as readonly never[];
  return { ...object, metadata: { ...object.metadata, managedFields: [...before, entry] } };
}
