import { judgeObject } from "../../apply/readiness/status/judge-object.ts";
import { createHealthLookup } from "../../health/evaluator.ts";
import type { HealthState } from "../../health/rule.ts";
import type { HealthRule } from "../../model/health-rule.ts";
import { isObject, type Json, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";

/** The state of one object. Strings are empty if the object lacks the field. */
export interface ObjectHealth {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: HealthState;
  readonly reason: string;
  /** The place of the rule: a built-in file, a file of the user, `built-in` or `general`. */
  readonly rule: string;
}

/** An object to judge, with the rules of the release that owns it. */
export interface ObjectToJudge {
  readonly value: Json;
  /** Undefined if no release owns the object, or its release has no rules. */
  readonly rules?: readonly HealthRule[] | undefined;
}

/** Judges objects in their order. Values that aren't objects have an unknown state. */
export function judgeObjects(
  objects: readonly ObjectToJudge[],
  now: Date,
): readonly ObjectHealth[] {
  const findHealth = createHealthLookup();
  return objects.map(({ value, rules }) => {
    const object = toObject(value);
    const names = {
      apiVersion: textAt(value, "apiVersion") ?? "",
      kind: textAt(value, "kind") ?? "",
      namespace: textAt(value, "metadata", "namespace") ?? "",
      name: textAt(value, "metadata", "name") ?? "",
    };
    if (object === undefined) return { ...names, ...notAnObject };
    const { state, reason, rule } = judgeObject(object, findHealth(rules), now);
    return { ...names, state, reason, rule };
  });
}

const notAnObject = {
  state: "unknown",
  reason: "it has no apiVersion and kind",
  rule: "general",
} as const;

/** Returns the object with metadata, which an object in a file can lack. */
function toObject(value: Json): KubeObject | undefined {
  const apiVersion = textAt(value, "apiVersion");
  const kind = textAt(value, "kind");
  if (!isObject(value) || apiVersion === undefined || kind === undefined) return undefined;
  const metadata = value["metadata"];
  return { ...value, apiVersion, kind, metadata: isObject(metadata) ? metadata : {} };
}
