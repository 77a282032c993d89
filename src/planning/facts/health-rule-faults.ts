import pMap from "p-map";
import { createHealthEvaluator } from "../../health/evaluator.ts";
import { findUnknownFields } from "../../health/rule-fields.ts";
import { healthExpressions } from "../../model/health-rule.ts";
import { kindKey } from "../../model/kinds.ts";
import type { Plan } from "../../model/plan.ts";
import { readWaitPolicy } from "../../model/wait-policy.ts";
import type { HealthRuleFault } from "../../preflight/cluster-facts.ts";
import { readKindSchema } from "./kind-schema.ts";
import type { FactsReader } from "./unready.ts";

/**
 * Finds the fields that the health rules of the user read, and that the definitions of their kinds
 * in the cluster don't have. Only kinds whose awaited objects the plan changes count.
 */
export async function readHealthRuleFaults(
  { cluster, concurrency }: Pick<FactsReader, "cluster" | "concurrency">,
  plan: Plan,
): Promise<readonly HealthRuleFault[]> {
  const { userRule } = createHealthEvaluator(plan.health);
  const changed = plan.changes.filter(
    ({ id, action, desired }) =>
      action !== "unchanged" && userRule(id) !== undefined && readWaitPolicy(desired).isAwaited,
  );
  const kinds = new Map(changed.toReversed().map((change) => [kindKey(change.id), change]));
  const found = await pMap(
    kinds.values(),
    async ({ key, id, desired }) => {
      const rule = userRule(id);
      const { schema } = await readKindSchema(cluster, plan, desired);
      if (rule === undefined || schema === undefined) return [];
      return healthExpressions.flatMap((expression) =>
        findUnknownFields(rule[expression] ?? "true", schema).map(({ path, meant }) => ({
          ...{ key, expression, meant, source: rule.source },
          field: path.join("."),
        })),
      );
    },
    { concurrency },
  );
  return found.flat();
}
