import { isList, isObject, sameJson } from "../../model/json.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import {
  assemblePieces,
  type LiveReference,
  readLiveValue,
  selectReferences,
  setValue,
} from "../../model/plan/apply-time-reference.ts";
import type { Change } from "../../model/plan/plan.ts";
import { failed, type Status, waiting } from "../readiness/status/conditions.ts";

/** The values that other objects need from live objects, by the key of the live object. */
export type ReferenceRequirements = ReadonlyMap<string, readonly ReferenceRequirement[]>;

export interface ReferenceRequirement {
  readonly reference: LiveReference;
  /** True if the value is part of a string, so it can't be a list or an object. */
  readonly isInString: boolean;
  /** The name of the object that needs the value. */
  readonly requester: string;
}

/** Lists every value that only the cluster sets and that a change of the plan needs. */
export function collectRequirements(changes: readonly Change[]): ReferenceRequirements {
  const requirements = changes.flatMap(({ id, applyTimeReferences = [] }) =>
    applyTimeReferences.flatMap(({ pieces, base64 }) =>
      selectReferences(pieces)
        .filter(({ declared }) => declared === undefined)
        .map((reference) => ({
          reference,
          isInString: base64 || pieces.length > 1,
          requester: nameOf(id),
        })),
    ),
  );
  return Map.groupBy(requirements, ({ reference }) => reference.on);
}

/** Keeps an object from being ready until it has every field that other objects reference. */
export function checkRequirements(
  requirements: readonly ReferenceRequirement[],
  object: KubeObject,
): Status | undefined {
  for (const { reference, isInString, requester } of requirements) {
    const { path, text } = reference;
    const value = readLiveValue(object, path);
    if (value === undefined) return waiting(`no value for ${text} yet, which ${requester} needs`);
    if (isInString && (isList(value) || isObject(value))) {
      return failed(
        `${text} is ${isList(value) ? "a list" : "an object"}, but ${requester} needs a string`,
      );
    }
  }
  return undefined;
}

/**
 * Replaces the references of a change with their current values, or returns the missing one.
 * An unchanged object becomes an update if a value has changed since the plan was made.
 */
export function withLiveValues(
  change: Change,
  seen: ReadonlyMap<string, KubeObject>,
): Change | { readonly missing: string } {
  const { applyTimeReferences = [], action, desired } = change;
  const currentValue = ({ on, path, declared }: LiveReference) =>
    declared ?? readLiveValue(seen.get(on), path);
  let current = desired;
  for (const text of applyTimeReferences) {
    const value = assemblePieces(text, currentValue);
    if (value === undefined) {
      const missing = selectReferences(text.pieces).find((one) => currentValue(one) === undefined);
      return { missing: missing?.text ?? "" };
    }
    current = setValue(current, text.path, value);
  }
  if (sameJson(current, desired)) return change;
  if (action !== "unchanged") return { ...change, desired: current };
  return { ...change, desired: current, action: "update", steps: [{ type: "apply" }] };
}
