import type { Attributions } from "../model/attribution.ts";
import type { Release } from "../model/release.ts";
import { type AttributionFacts, attribute } from "../plan/attribution/attribute.ts";
import type { PlannedDeployment } from "../planning/planned-deployment.ts";
import type { PlanningContext } from "../planning/planning-context.ts";
import { sourceMismatch } from "../releases/deployment-source-mismatch.ts";

/** Returns the attribution of each change of a plan; undefined without a plan. */
export function attributeChanges(
  planned: PlannedDeployment,
  context: PlanningContext,
  commits: Omit<AttributionFacts, "releases"> = {},
): Attributions | undefined {
  const releases = ownReleases(planned, context);
  return planned.plan && attribute(planned.plan, { ...commits, releases });
}

/**
 * Returns the releases of this source only. Releases of another repository or config under the same
 * name explain no change and must not be shown.
 */
function ownReleases(
  { recorded }: PlannedDeployment,
  { source, deployment, adopt }: PlanningContext,
): readonly Release[] {
  const releases = recorded?.releases ?? [];
  const isOtherSource = !adopt && sourceMismatch(releases, source, deployment) !== undefined;
  return isOtherSource ? [] : releases;
}
