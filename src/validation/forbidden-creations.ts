import type { FailureCause } from "../model/cluster/api-failure.ts";
import { at, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { isAbsent } from "./forbidden-updates.ts";

/** The names in events.k8s.io/v1 of fields that only the core API sets. */
const coreFields = [
  "deprecatedFirstTimestamp",
  "deprecatedLastTimestamp",
  "deprecatedCount",
  "deprecatedSource",
];

/**
 * Returns the reasons why the API server rejects a new object although it accepts an update to the
 * same content. An object can have such content: another version of its API created it.
 * Source: `ValidateEventCreate` in pkg/apis/core/validation/events.go.
 */
export function forbiddenCreation(object: KubeObject): readonly FailureCause[] {
  if (object.apiVersion !== "events.k8s.io/v1" || object.kind !== "Event") return [];
  const hasType = ["Normal", "Warning"].includes(textAt(object, "type") ?? "");
  const set = coreFields.filter((field) => !isAbsent(at(object, field)) && at(object, field) !== 0);
  return [
    ...(at(object, "eventTime") === undefined
      ? [{ reason: "FieldValueRequired", field: "eventTime", message: "Required value" }]
      : []),
    ...(hasType ? [] : [invalid("type", "has invalid value")]),
    ...set.map((field) => invalid(field, "needs to be unset")),
  ];
}

function invalid(field: string, why: string): FailureCause {
  return { reason: "FieldValueInvalid", field, message: `Invalid value: ${why}` };
}
