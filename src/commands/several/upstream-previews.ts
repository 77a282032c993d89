import { deploymentLevels, transitiveDependencies } from "../../config/deployment-levels.ts";
import type { PreviewRequest } from "../../deploying/compile-base-and-head.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import { combineUpstreamPlans } from "../../model/deployments/other-deployments.ts";
import type { DeploymentReport, NotCompared } from "../../report/comment/comment-input.ts";

/** The effect of the upstream deployments on a preview. */
export type UpstreamEffect = Pick<PreviewRequest, "upstream" | "withoutCluster">;

/** Previews deployments that are deployed together. Dependencies must be previewed first. */
export interface UpstreamPreviews {
  preview(
    deployment: Deployment,
    makeReport: (effect: UpstreamEffect) => Promise<DeploymentReport>,
  ): Promise<DeploymentReport>;
}

type PlannedReport = Pick<DeploymentReport, "deployment" | "plan">;

/**
 * Previews each deployment on top of the planned changes of its dependencies to the same cluster.
 * For example, a Namespace, a CustomResourceDefinition or a quota of one deployment affects the
 * next one.
 */
export function createUpstreamPreviews(all: readonly Deployment[]): UpstreamPreviews {
  const upstreamNames = transitiveDependencies(all);
  const order = new Map(
    deploymentLevels(all, all)
      .flat()
      .map(({ name }, index) => [name, index]),
  );
  const position = ({ deployment }: PlannedReport) => order.get(deployment.name) ?? 0;
  const withDependents = new Set([...upstreamNames.values()].flat());
  const planned = new Map<string, PlannedReport>();
  return {
    async preview(deployment, makeReport) {
      const { name, context } = deployment;
      const upstream = upstreamNames.get(name) ?? [];
      // In the order of the deployments, because later plans override earlier ones.
      const before = upstream
        .flatMap((each) => planned.get(each) ?? [])
        .filter((each) => each.deployment.context === context)
        .toSorted((a, b) => position(a) - position(b));
      const earlier = combineUpstreamPlans(before.flatMap(plansOf));
      const made = await makeReport({
        upstream: earlier,
        withoutCluster: missingPlanReason(before),
      });
      if (withDependents.has(name)) planned.set(name, { deployment, plan: made.plan });
      return { ...made, earlier, waitsFor: upstream };
    },
  };
}

/**
 * Returns the reason why a deployment can't be compared with its cluster. Without the plan of an
 * upstream deployment, the cluster's answers wouldn't match the state at deployment.
 */
function missingPlanReason(before: readonly PlannedReport[]): NotCompared | undefined {
  const unplanned = before.find(({ plan }) => plan === undefined);
  return unplanned === undefined
    ? undefined
    : {
        because: `qvs has no plan of the deployment ${unplanned.deployment.name}, which is deployed first`,
      };
}

function plansOf({ deployment, plan }: PlannedReport) {
  return plan === undefined ? [] : [{ deployment: deployment.name, plan }];
}
