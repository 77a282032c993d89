import {
  assemble,
  type LiveReference,
  liveValueAt,
  referencesAmong,
  withValueAt,
} from "../../model/apply-time-reference.ts";
import { isList, isObject, sameJson } from "../../model/json.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { failed, type Status, waiting } from "../readiness/status/status.ts";

/** What is read of live objects, by the key of the object. */
export type Demands = ReadonlyMap<string, readonly Demand[]>;

export interface Demand {
  readonly reference: LiveReference;
  /** It is a part of a text, where neither a list nor a map can stand. */
  readonly inText: boolean;
  /** The object that needs it, as people call it. */
  readonly by: string;
}

/** Every value that only the cluster makes and some change of the plan needs. */
export function demandsOf(changes: readonly Change[]): Demands {
  const demands = changes.flatMap(({ id, late = [] }) =>
    late.flatMap(({ pieces, base64 }) =>
      referencesAmong(pieces)
        .filter(({ declared }) => declared === undefined)
        .map((reference) => ({ reference, inText: base64 || pieces.length > 1, by: nameOf(id) })),
    ),
  );
  return Map.groupBy(demands, ({ reference }) => reference.on);
}

/** Keeps an object from being ready until it has every field that others refer to. */
export function judgeDemands(demands: readonly Demand[], object: KubeObject): Status | undefined {
  for (const { reference, inText, by } of demands) {
    const { path, text } = reference;
    const value = liveValueAt(object, path);
    if (value === undefined) return waiting(`no value for ${text} yet, which ${by} needs`);
    if (inText && (isList(value) || isObject(value))) {
      return failed(`${text} is a ${isList(value) ? "list" : "map"}, and ${by} needs it in a text`);
    }
  }
  return undefined;
}

/**
 * The change with the values of this moment in place of its references, or what there is no value for. An object that was to stay as
 * it is becomes an update where a value has changed since the plan was made.
 */
export function withLiveValues(
  change: Change,
  seen: ReadonlyMap<string, KubeObject>,
): Change | { readonly missing: string } {
  const { late = [], action, desired } = change;
  const valueNow = ({ on, path, declared }: LiveReference) =>
    declared ?? liveValueAt(seen.get(on), path);
  let now = desired;
  for (const text of late) {
    const value = assemble(text, valueNow);
    if (value === undefined) {
      const missing = referencesAmong(text.pieces).find((one) => valueNow(one) === undefined);
      return { missing: missing?.text ?? "" };
    }
    now = withValueAt(now, text.path, value);
  }
  if (sameJson(now, desired)) return change;
  if (action !== "unchanged") return { ...change, desired: now };
  return { ...change, desired: now, action: "update", steps: [{ type: "apply" }] };
}
