import type { PlanPolicy } from "../../src/model/plan.ts";

/** What a deployment may do when nobody says anything. */
export const cautious: PlanPolicy = {
  allowDelete: [],
  conflicts: { force: false, takeover: [] },
};
