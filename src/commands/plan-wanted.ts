import { UserError } from "../errors.ts";
import type { LayoutNode, Manifest } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Plan } from "../model/plan.ts";
import type { InputConfig, ReleasedManifest, ReleaseSource } from "../model/release.ts";
import { toReleased } from "../plan/declared/desired.ts";
import { problemsOfNamesake } from "../plan/deletions/namesake.ts";
import type { Cluster } from "../ports.ts";
import { historyOf } from "../releases/history.ts";
import { inventoryOf } from "../releases/inventory.ts";
import { problemOfOtherSource } from "../releases/other-source.ts";
import { withOtherStage } from "../releases/with-other-stage.ts";
import { problemOfOtherPlan } from "../report/plan-difference.ts";
import { gatherPlan } from "./gather-plan.ts";
import { refusedDeletions } from "./refused-deletions.ts";
import { releaseSource } from "./release-source.ts";
import { type RecordedReleases, readReleases } from "./release-store.ts";
import type { DeployOptions } from "./under-lock.ts";
import type { World } from "./world.ts";

/** What is to be there: compiled just now, or recorded by an earlier release. */
export interface Wanted {
  readonly manifests: readonly Manifest[];
  readonly input: InputConfig;
  readonly layout: LayoutNode;
  readonly rollbackOf: number | undefined;
}

/** A plan that may be carried out, and what its record is made from. */
export interface WantedPlan {
  readonly plan: Plan;
  readonly expandedConfig: readonly ReleasedManifest[];
  readonly recorded: RecordedReleases;
  readonly source: ReleaseSource;
}

export interface PlanContext {
  readonly cluster: Cluster;
  readonly deployment: Deployment;
  readonly options: DeployOptions;
}

/**
 * Everything before the first change, the same for a deployment and for its rehearsal. Throws a UserError with all that stands
 * in its way.
 */
export async function planWanted(
  world: World,
  { cluster, deployment, options }: PlanContext,
  { manifests }: Wanted,
  dryRuns: "all" | "needed",
): Promise<WantedPlan> {
  const recorded = await readReleases(cluster, deployment, world);
  if (!recorded.ok) throw new UserError(recorded.problems);
  const { releases } = recorded.value;
  const inventory = inventoryOf(releases);
  const source = await releaseSource(world, deployment);
  const other = options.adopt ? undefined : problemOfOtherSource(releases, source, deployment);
  if (other !== undefined) throw new UserError([other]);
  const gathered = await gatherPlan(cluster, {
    deployment,
    manifests,
    inventory,
    history: historyOf(releases),
    policy: options.policy,
    purpose: "deploy",
    onlyStage: options.onlyStage,
    // Who approved a plan saw what a preview predicts, and a preview asks about every object.
    dryRuns: options.expected === undefined ? dryRuns : "all",
    concurrency: options.limits.concurrency,
    hash: world.hash,
  });
  if (!gathered.ok) throw new UserError(gathered.problems);
  const { plan, declared } = gathered.value;
  const problems = [
    ...(options.adopt ? [] : problemsOfNamesake(plan.changes, inventory, deployment)),
    ...(await refusedDeletions(cluster, plan, options.limits.concurrency)),
  ];
  if (problems.length > 0) throw new UserError(problems);
  const otherPlan = problemOfOtherPlan(plan, options.expected);
  if (otherPlan !== undefined) throw new UserError([otherPlan]);
  const expanded = toReleased(declared);
  if (options.onlyStage === undefined) {
    return { plan, expandedConfig: expanded, recorded: recorded.value, source };
  }
  const full = withOtherStage(expanded, options.onlyStage, releases);
  if (!full.ok) throw new UserError(full.problems);
  return { plan, expandedConfig: full.value, recorded: recorded.value, source };
}
