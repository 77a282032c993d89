import type { Stage } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { PlanPolicy } from "../model/plan.ts";
import type { DeploymentReport } from "../report/comment-input.ts";
import { commitTreeAt } from "./commit-source.ts";
import { listDeployments } from "./list-deployments.ts";
import { previewDeployment } from "./preview-deployment.ts";
import type { World } from "./world.ts";

export interface DiffOptions {
  readonly inline: readonly string[];
  readonly policy: PlanPolicy;
  /** A commit to compare with; undefined compares with the cluster only. */
  readonly base: string | undefined;
  readonly onlyStage?: Stage | undefined;
}

/** What a deployment would change (spec §9). */
export async function diff(
  world: World,
  deployment: Deployment,
  options: DiffOptions,
): Promise<DeploymentReport> {
  const { inline, policy, base, onlyStage } = options;
  const source = base === undefined ? undefined : await commitTreeAt(world, base);
  const listed =
    source === undefined ? undefined : await listDeployments(source.tree, world.repositoryName);
  const earlier = listed?.ok
    ? listed.value.find(({ name }) => name === deployment.name)
    : undefined;
  const before =
    source === undefined || earlier === undefined ? undefined : { deployment: earlier, source };
  return previewDeployment(world, {
    deployment,
    before,
    inline,
    policy,
    onlyStage,
    withoutCluster: undefined,
  });
}
