import { previewDeployment } from "../deploying/preview-deployment.ts";
import type { PlanningRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { UpgradeTarget } from "../model/kubernetes-versions.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { World } from "../ports/world.ts";
import type { DeploymentReport } from "../report/comment/comment-input.ts";
import { openCommitSource } from "../sources/commit-source.ts";
import { listDeployments } from "../sources/list-deployments.ts";
import { listedTargetWarnings } from "../sources/orphaned-deployments.ts";
import type { UpstreamEffect } from "./several/upstream-previews.ts";

export interface DiffOptions {
  readonly inline: readonly string[];
  readonly request: PlanningRequest;
  /** The commit to compare with; undefined compares with the cluster only. */
  readonly base: string | undefined;
  /** The time that the deployment would wait for one object. */
  readonly timeoutMs?: number | undefined;
  /** The version of Kubernetes to check against; undefined for none. */
  readonly against?: UpgradeTarget | undefined;
  /** The effect of the deployments that are deployed first; undefined if none are. */
  readonly effect?: UpstreamEffect | undefined;
}

/** Previews a deployment (docs/concepts/previews.md). */
export async function diff(
  world: World,
  deployment: Deployment,
  options: DiffOptions,
): Promise<DeploymentReport> {
  const { inline, request, base, timeoutMs, against, effect } = options;
  const source = base === undefined ? undefined : await openCommitSource(world, base);
  const listed =
    source === undefined ? undefined : await listDeployments(source.tree, world.repositoryName);
  const beforeEntry = listed?.ok
    ? listed.value.find(({ name }) => name === deployment.name)
    : undefined;
  const before =
    source === undefined || beforeEntry === undefined
      ? undefined
      : { deployment: beforeEntry, source };
  const report = await previewDeployment(world, {
    deployment,
    before,
    inline,
    request,
    timeoutMs,
    against,
    ...(effect ?? { withoutCluster: undefined }),
  });
  const orphanWarnings = await leftObjects(world, beforeEntry, deployment);
  return orphanWarnings.length === 0 ? report : { ...report, orphanWarnings };
}

/** Warns about objects at the place of the base commit, unless a flag chose another place. */
async function leftObjects(
  { source, repositoryName }: World,
  before: Deployment | undefined,
  deployment: Deployment,
): Promise<readonly Problem[]> {
  if (before === undefined) return [];
  const listed = await listDeployments(source.tree, repositoryName);
  return listed.ok ? listedTargetWarnings(before, listed.value, deployment) : [];
}
