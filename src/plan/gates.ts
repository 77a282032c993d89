import { checkKey } from "../model/deployment-checks.ts";
import type { Change, CheckGate } from "../model/plan.ts";
import { digestObjects } from "./digest.ts";
import type { PlanInput } from "./plan-input.ts";

/**
 * Returns the checks that planned objects wait for, in the order of the config. A check runs before
 * unchanged objects too, so that its place doesn't depend on the state of the cluster.
 */
export function planGates(
  changes: readonly Change[],
  { rules, desired }: Pick<PlanInput, "rules" | "desired">,
): readonly CheckGate[] {
  return (rules.checks ?? []).flatMap(({ name }) => {
    const key = checkKey(rules.namespace, { name });
    const waiting = changes.filter(({ after }) => after.some(({ on }) => on === key));
    const [first] = waiting;
    if (first === undefined) return [];
    return [
      {
        ...{ key, name, stage: first.stage, after: desired.edges.get(key) ?? [] },
        before: waiting.map((change) => change.key),
        digest: digestObjects(waiting, rules),
      },
    ];
  });
}
