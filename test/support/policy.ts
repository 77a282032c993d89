import type { PlanPolicy } from "../../src/model/plan/plan.ts";

/** The default policy of a deployment. */
export const cautious: PlanPolicy = {
  allowDelete: [],
  conflicts: { force: false, takeover: [] },
};
