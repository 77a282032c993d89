import { isList, isObject } from "../../model/json.ts";
import {
  assemble,
  type LateText,
  type LiveReference,
  liveValueAt,
  referencesAmong,
  valueAt,
  withValueAt,
} from "../../model/late-text.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { sameJson } from "../../model/same-json.ts";
import { failed, type Status, waiting } from "../readiness/status/status.ts";

/** What is wanted of live objects, by the key of the object. */
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

/** What a change refers to and is not there; undefined when everything is. */
export function missingValue(
  { late = [] }: Change,
  seen: ReadonlyMap<string, KubeObject>,
): string | undefined {
  return late
    .flatMap(({ pieces }) => referencesAmong(pieces))
    .find(
      (one) => one.declared === undefined && liveValueAt(seen.get(one.on), one.path) === undefined,
    )?.text;
}

/**
 * The change with the values of this moment in place of its references; by now all of them are there. An object that
 * was to stay as it is becomes an update where a value has changed since the plan was made.
 */
export function withLiveValues(change: Change, seen: ReadonlyMap<string, KubeObject>): Change {
  const { late = [], action, desired } = change;
  const now = late.reduce(
    (object, text) => withValueAt(object, text.path, resolved(text, change, seen)),
    desired,
  );
  if (sameJson(now, desired)) return change;
  return { ...change, desired: now, action: action === "unchanged" ? "update" : action };
}

function resolved(text: LateText, { key }: Change, seen: ReadonlyMap<string, KubeObject>) {
  const value = assemble(text, ({ on, path, declared }) => declared ?? valueAt(seen.get(on), path));
  if (value === undefined) throw new Error(`${key} is applied before what it refers to is there`);
  return value;
}
