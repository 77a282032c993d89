import { checkId, checkKey } from "../../model/deployment-checks.ts";
import { nameOf } from "../../model/object.ts";
import type { Edge, Plan } from "../../model/plan.ts";
import type { OrderedCheck } from "./review.ts";

/**
 * Returns the checks that run with these objects of a plan. It omits a check that only other
 * objects wait for. Without any object, no check runs.
 */
export function orderChecks(
  { namespace, checks = [], gates = [] }: Plan,
  keys: ReadonlySet<string>,
): readonly OrderedCheck[] {
  if (keys.size === 0) return [];
  const gateByName = new Map(gates.map((gate) => [gate.name, gate]));
  return checks.flatMap((check) => {
    const ordered = { key: checkKey(namespace, check), name: nameOf(checkId(namespace, check)) };
    const gate = gateByName.get(check.name);
    if (gate === undefined) return [ordered];
    const before = gate.before.filter((key) => keys.has(key));
    if (before.length === 0) return [];
    return [{ ...ordered, gate: { stage: gate.stage, after: edgesTo(keys, gate.after), before } }];
  });
}

/** Returns the edges to objects with these keys, with only the fields that are published. */
export function edgesTo(keys: ReadonlySet<string>, edges: readonly Edge[]): readonly Edge[] {
  return edges.filter(({ on }) => keys.has(on)).map(({ on, reason }) => ({ on, reason }));
}
