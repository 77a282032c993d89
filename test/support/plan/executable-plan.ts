import type { Plan } from "../../../src/model/plan/plan.ts";
import { failed, ok, type Result } from "../../../src/model/problems/problem.ts";
import { buildPlan } from "../../../src/plan/build-plan.ts";
import type { PlanInput } from "../../../src/plan/plan-input.ts";

/** Returns the plan, or the problems that prevent its execution. */
export function executablePlan(input: PlanInput): Result<Plan> {
  const built = buildPlan(input);
  if (!built.ok) return built;
  const { plan, problems } = built.value;
  return problems.length > 0 ? failed(problems) : ok(plan);
}
