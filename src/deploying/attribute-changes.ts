import type { Attributions } from "../model/attribution.ts";
import { emptyHistory, type ReleaseHistory } from "../model/release-history.ts";
import { type AttributionFacts, attribute } from "../plan/attribution/attribute.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import { sourceMismatch } from "../releases/deployment-source-mismatch.ts";

/** Returns the attribution of each change of a plan; undefined without a plan. */
export function attributeChanges(
  planned: PlannedDeployment,
  context: PlanningContext,
  commits: Omit<AttributionFacts, "history"> = {},
): Attributions | undefined {
  const history = ownHistory(planned, context);
  return planned.plan && attribute(planned.plan, { ...commits, history });
}

/**
 * Returns the releases of this source only. Releases of another repository or config under the same
 * name explain no change and must not be shown.
 */
function ownHistory(
  { recorded }: PlannedDeployment,
  { source, deployment, request }: PlanningContext,
): ReleaseHistory {
  const history = recorded ?? emptyHistory;
  const isOtherSource = !request.adopt && sourceMismatch(history, source, deployment) !== undefined;
  return isOtherSource ? emptyHistory : history;
}
