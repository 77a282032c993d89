import pMap from "p-map";
import { createDeclaredElsewhere } from "../../commands/several/declared-elsewhere.ts";
import { requireDone, runInOrder } from "../../commands/several/run-in-order.ts";
import { createUpstreamPreviews } from "../../commands/several/upstream-previews.ts";
import {
  type BaseAndHead,
  compileBaseAndHead,
  type PreviewRequest,
} from "../../deploying/compile-base-and-head.ts";
import { addClusterComparison } from "../../deploying/preview-deployment.ts";
import { previewRemoval } from "../../deploying/preview-removal.ts";
import type { PlanningRequest } from "../../model/deployments/deploy-request.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { UpgradeTarget } from "../../model/kubernetes-versions.ts";
import type { ApprovedPlans } from "../../model/plan/approval.ts";
import { catchProblems, UserError } from "../../model/problems/errors.ts";
import type { ConfigSource, World } from "../../ports/world.ts";
import type {
  DeploymentReport,
  NotCompared,
  PreviewContext,
} from "../../report/comment/comment-input.ts";
import { changedByPush } from "../../sources/changed-by-push.ts";
import { otherLists } from "../../sources/find-listing.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import { removedDeployment, targetChangeWarnings } from "../../sources/orphaned-deployments.ts";
import { movedNotice } from "../../sources/removed-by-push.ts";
import { listRemoved, type PullRequestChoice } from "./changed-by-pull-request.ts";
import { type Base, openBase } from "./open-base.ts";

export interface PullRequestOptions extends PullRequestChoice {
  readonly request: PlanningRequest;
  readonly timeoutMs?: number | undefined;
  /** The version of Kubernetes to check against; undefined for none. */
  readonly against?: UpgradeTarget | undefined;
  readonly withoutCluster: NotCompared | undefined;
  /**
   * Returns the approvals of a deployment, for pull requests in a merge queue; undefined if no
   * approval is needed.
   */
  readonly approvedOf?: ((deployment: string) => ApprovedPlans) | undefined;
  readonly pullRequest?: number | undefined;
  readonly runUrl: string | undefined;
  readonly repositoryUrl?: string | undefined;
  readonly previewArtifact?: string | undefined;
}

/** The previews of a pull request, as the caller summarizes each. */
export interface PullRequestPreview<T> extends PreviewContext {
  readonly deployments: readonly T[];
}

/** Summarizes a preview for the caller. `now` is the time of the run in ISO 8601. */
type Summarize<T> = (report: DeploymentReport, now: string) => T;

/**
 * Previews every deployment that a pull request changes. The result contains the errors that
 * prevent all previews. Reports take up to a megabyte each, so `summarize` gets each as soon as it
 * is complete, and only its result stays in memory.
 */
export async function previewPullRequest<T>(
  world: World,
  options: PullRequestOptions,
  summarize: Summarize<T>,
): Promise<PullRequestPreview<T>> {
  const { headSha: headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact } = options;
  const now = world.clock.now().toISOString();
  const reports = await catchProblems(() =>
    previewChanged(world, options, (report) => summarize(report, now)),
  );
  const around = { headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact, now };
  return reports.ok
    ? { deployments: reports.value, ...around }
    : { deployments: [], previewProblems: reports.problems, ...around };
}

async function previewChanged<T>(
  world: World,
  options: PullRequestOptions,
  summarize: (report: DeploymentReport) => T,
): Promise<readonly T[]> {
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const base = await openBase(world, options);
  const known = [...listed.value, ...base.deployments];
  const deployments = options.choose(listed.value, known).map(options.adjusted);
  const changed = await findChangedDeployments(world, deployments, base, options);
  const listTogether = async () => {
    const others = listed.value.map(options.adjusted).filter(isOther(deployments));
    const push = { ...options, before: base.commit, readsCluster: false };
    const { deployments: more } = await changedByPush(world, others, push);
    return [...changed.map(({ preview }) => preview.deployment), ...more];
  };
  const declaredElsewhere = createDeclaredElsewhere(world, {
    ...{ all: listed.value, listTogether, inline: options.inline, purpose: "show" },
  });
  const together = { ...world, declaredElsewhere };
  const reports = await reportInOrder(together, changed, listed.value, summarize);
  const removed = listRemoved(base, listed.value, options);
  const others = await otherLists(world.source.tree, world.folder, options.adjusted);
  const removedReports = await pMap(
    removed,
    async (deployment) => {
      const file = others.ok ? others.fileOf(deployment) : undefined;
      return summarize(
        file === undefined
          ? await previewRemoved(world, base.source, deployment, options)
          : previewMoved(deployment, file),
      );
    },
    { concurrency: clustersAtOnce },
  );
  return [...reports, ...removedReports];
}

function isOther(chosen: readonly Deployment[]): (deployment: Deployment) => boolean {
  const names = new Set(chosen.map(({ name }) => name));
  return ({ name }) => !names.has(name);
}

/**
 * The number of compilations that the workers can choose from. One worker should compile all
 * deployments with the same adapter.
 */
const compiledAtOnce = 64;
/**
 * The number of previews that access clusters at the same time. Each sends many requests at once.
 */
const clustersAtOnce = 4;

interface CompiledDeploymentPair {
  readonly preview: PreviewRequest;
  readonly compiled: BaseAndHead;
}

/**
 * Compiles the changed deployments without access to the cluster. Unchanged deployments need no
 * comparison with the cluster.
 */
async function findChangedDeployments(
  world: World,
  deployments: readonly Deployment[],
  base: Base,
  options: PullRequestOptions,
): Promise<readonly CompiledDeploymentPair[]> {
  const push = { ...options, before: base.commit, readsCluster: false };
  const { deployments: changed } = await changedByPush(world, deployments, push);
  const byName = new Map(base.deployments.map((each) => [each.name, each]));
  return pMap(
    changed,
    async (deployment) => {
      const preview = createPreview(deployment, { ...base, byName }, options);
      return { preview, compiled: await compileBaseAndHead(world, preview) };
    },
    { concurrency: compiledAtOnce },
  );
}

function createPreview(
  deployment: Deployment,
  base: Base & { readonly byName: ReadonlyMap<string, Deployment> },
  { inline, request, timeoutMs, against, withoutCluster, approvedOf }: PullRequestOptions,
): PreviewRequest {
  const before = base.byName.get(deployment.name);
  return {
    deployment,
    before: before === undefined ? undefined : { deployment: before, source: base.source },
    inline,
    // The checkout is a test merge, which is never deployed.
    request: { ...request, whenOlder: undefined, expected: approvedOf?.(deployment.name) },
    timeoutMs,
    against,
    withoutCluster: withoutCluster ?? unknownContext(deployment, base.deployments),
  };
}

/** Previews each deployment after its dependencies, on top of their planned changes. */
async function reportInOrder<T>(
  world: World,
  changed: readonly CompiledDeploymentPair[],
  all: readonly Deployment[],
  summarize: (report: DeploymentReport) => T,
): Promise<readonly T[]> {
  const byName = new Map(changed.map((each) => [each.preview.deployment.name, each]));
  const previews = createUpstreamPreviews(all);
  const reportOne = async (deployment: Deployment) => {
    const { preview, compiled } = byName.get(deployment.name) as CompiledDeploymentPair;
    const report = await previews.preview(deployment, (effect) => {
      const withoutCluster = preview.withoutCluster ?? effect.withoutCluster;
      return previewOne(world, { ...preview, ...effect, withoutCluster }, compiled);
    });
    return summarize(report);
  };
  const deployments = changed.map(({ preview }) => preview.deployment);
  const outcomes = await runInOrder(deployments, {
    ...{ all, dependencies: "first", runOne: reportOne, state: world, parallel: clustersAtOnce },
    standing: () => "ready",
  });
  // A canceled run reports no errors of its deployments.
  world.signal.throwIfAborted();
  const reports = new Map(outcomes.map((each) => [each.deployment.name, requireDone(each)]));
  return deployments.flatMap(({ name }) => reports.get(name) ?? []);
}

async function previewOne(
  world: World,
  preview: PreviewRequest,
  compiled: BaseAndHead,
): Promise<DeploymentReport> {
  const report = await addClusterComparison(world, preview, compiled);
  const orphanWarnings = targetChangeWarnings(preview.before?.deployment, preview.deployment);
  return orphanWarnings.length === 0 ? report : { ...report, orphanWarnings };
}

/**
 * Previews the removal of a deployment, from its config at the base commit and, if access is
 * allowed, the inventory in the cluster.
 */
async function previewRemoved(
  world: World,
  base: ConfigSource,
  deployment: Deployment,
  options: PullRequestOptions,
): Promise<DeploymentReport> {
  const report = await removedDeployment(base, deployment, options.inline);
  if (options.withoutCluster !== undefined) return report;
  return { ...report, ...(await previewRemoval(world, deployment, options.request)) };
}

/** Reports a deployment that moved to another list. The merge deletes none of its objects. */
function previewMoved(deployment: Deployment, file: string): DeploymentReport {
  return {
    deployment,
    problems: [],
    blockers: [],
    orphanWarnings: movedNotice(deployment, file),
    clusterState: { compared: false, because: "the list of another directory contains it now" },
  };
}

/**
 * Returns the reason why the cluster of a deployment must not be accessed; undefined if it can be.
 * The target branch decides which clusters exist. A pull request must not send credentials to
 * another cluster, not even by leaving out a context.
 */
function unknownContext(
  { context }: Deployment,
  before: readonly Deployment[],
): NotCompared | undefined {
  if (before.length === 0) {
    const because =
      "the target branch has no deployments yet, and only the target branch determines which clusters a preview can access";
    return { because };
  }
  if (before.some((each) => each.context === context)) return undefined;
  const because =
    context === undefined
      ? "the deployment has no context, and no deployment on the target branch uses the kubeconfig's current context yet"
      : `no deployment on the target branch uses the context "${context}" yet`;
  return { because };
}
