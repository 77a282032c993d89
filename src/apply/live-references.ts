import type { KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import { type Reference, referencesIn, replaceReferences, valueAt } from "../model/references.ts";
import { type Status, waiting } from "./status/status.ts";

/** What is wanted of live objects, by the key of the object. */
export type Demands = ReadonlyMap<string, readonly Demand[]>;

export interface Demand {
  readonly reference: Reference;
  /** Resource id of the change that needs it. */
  readonly by: string;
}

/** Everything that a reference of the plan may name. */
export function resourceIds(plan: Plan): ReadonlySet<string> {
  return new Set(plan.changes.map((change) => change.resource));
}

/** Every reference of the plan, with the object whose value it means. */
export function demandsOf(plan: Plan, ids: ReadonlySet<string>): Demands {
  const demands = plan.changes.flatMap((change) =>
    referencesIn(change.desired, ids).flatMap((reference) => {
      const target = targetOf(plan, change, reference);
      return target === undefined ? [] : [{ key: target.key, reference, by: change.resource }];
    }),
  );
  return Map.groupBy(demands, (demand) => demand.key);
}

/** Keeps an object from being ready until it has every field that others refer to. */
export function judgeDemands(demands: readonly Demand[], object: KubeObject): Status | undefined {
  const missing = demands.find(({ reference }) => valueAt(object, reference.path) === undefined);
  return missing && waiting(`no value for ${missing.reference.text} of ${missing.by} yet`);
}

export interface LiveValues {
  readonly plan: Plan;
  readonly ids: ReadonlySet<string>;
  /** Objects as last seen, by key. */
  readonly seen: ReadonlyMap<string, KubeObject>;
}

/** The change with the values of live objects in place of its references; by now all of them are there. */
export function withLiveValues({ plan, ids, seen }: LiveValues, change: Change): Change {
  const desired = replaceReferences(change.desired, ids, (reference) => {
    const target = targetOf(plan, change, reference);
    return target && valueAt(seen.get(target.key), reference.path);
  });
  return { ...change, desired };
}

/** An id means the resource of the same stage, and that of an earlier stage where there is none. */
function targetOf(plan: Plan, change: Change, { id }: Reference): Change | undefined {
  const named = plan.changes.filter((other) => other.resource === id);
  return named.find((other) => other.stage === change.stage) ?? named[0];
}
