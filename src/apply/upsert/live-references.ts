import {
  assemblePieces,
  type LiveReference,
  readLiveValue,
  selectReferences,
  setValue,
} from "../../model/apply-time-reference.ts";
import { isList, isObject, sameJson } from "../../model/json.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { failed, type Status, waiting } from "../readiness/status/status.ts";

/** The values that other objects need from live objects, by the key of the live object. */
export type Demands = ReadonlyMap<string, readonly Demand[]>;

export interface Demand {
  readonly reference: LiveReference;
  /** True if the value is part of a string, so it can't be a list or an object. */
  readonly inText: boolean;
  /** The name of the object that needs the value. */
  readonly by: string;
}

/** Lists every value that only the cluster sets and that a change of the plan needs. */
export function demandsOf(changes: readonly Change[]): Demands {
  const demands = changes.flatMap(({ id, applyTimeReferences = [] }) =>
    applyTimeReferences.flatMap(({ pieces, base64 }) =>
      selectReferences(pieces)
        .filter(({ declared }) => declared === undefined)
        .map((reference) => ({ reference, inText: base64 || pieces.length > 1, by: nameOf(id) })),
    ),
  );
  return Map.groupBy(demands, ({ reference }) => reference.on);
}

/** Keeps an object from being ready until it has every field that other objects reference. */
export function judgeDemands(demands: readonly Demand[], object: KubeObject): Status | undefined {
  for (const { reference, inText, by } of demands) {
    const { path, text } = reference;
    const value = readLiveValue(object, path);
    if (value === undefined) return waiting(`no value for ${text} yet, which ${by} needs`);
    if (inText && (isList(value) || isObject(value))) {
      return failed(
        `${text} is ${isList(value) ? "a list" : "an object"}, but ${by} needs a string`,
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
  const valueNow = ({ on, path, declared }: LiveReference) =>
    declared ?? readLiveValue(seen.get(on), path);
  let now = desired;
  for (const text of applyTimeReferences) {
    const value = assemblePieces(text, valueNow);
    if (value === undefined) {
      const missing = selectReferences(text.pieces).find((one) => valueNow(one) === undefined);
      return { missing: missing?.text ?? "" };
    }
    now = setValue(now, text.path, value);
  }
  if (sameJson(now, desired)) return change;
  if (action !== "unchanged") return { ...change, desired: now };
  return { ...change, desired: now, action: "update", steps: [{ type: "apply" }] };
}
