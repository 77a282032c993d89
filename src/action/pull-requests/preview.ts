import pMap from "p-map";
import { allBefore, levelsOf } from "../../config/deployment-levels.ts";
import type { ApprovedPlans } from "../../model/approval.ts";
import type { Deployment } from "../../model/deployment.ts";
import { earlierOf } from "../../model/earlier.ts";
import type { PlanPolicy } from "../../model/plan.ts";
import { catchProblems, UserError } from "../../model/problems/errors.ts";
import type { Source, World } from "../../ports/world.ts";
import type { CommentInput, DeploymentReport } from "../../report/comment/comment-input.ts";
import {
  addCluster,
  type CompiledTwice,
  compileTwice,
  type PreviewRequest,
} from "../../runs/preview-deployment.ts";
import { previewRemoval } from "../../runs/removed-deployment.ts";
import { changedByPush } from "../../sources/changed-by-push.ts";
import { otherLists } from "../../sources/find-listing.ts";
import { listDeployments } from "../../sources/list-deployments.ts";
import { movedAway, removedDeployment } from "../../sources/orphaned-deployments.ts";
import { movedTo } from "../../sources/removed-by-push.ts";
import { type Base, openBase } from "./base.ts";
import { type PullRequestChoice, removedFrom } from "./changed.ts";

export interface PullRequestOptions extends PullRequestChoice {
  readonly policy: PlanPolicy;
  readonly adopt: boolean;
  readonly timeoutMs?: number | undefined;
  readonly withoutCluster: string | undefined;
  /** What was approved of a deployment, for pull requests in a merge queue; undefined where nothing has to be. */
  readonly approvedOf?: ((deployment: string) => ApprovedPlans) | undefined;
  readonly pullRequest?: number | undefined;
  readonly runUrl: string | undefined;
  readonly repositoryUrl?: string | undefined;
  readonly previewArtifact?: string | undefined;
}

/** Previews every deployment that a pull request changes. Problems that prevent all previews are part of the result. */
export async function previewPullRequest(
  world: World,
  options: PullRequestOptions,
): Promise<CommentInput> {
  const { headSha: headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact } = options;
  const reports = await catchProblems(() => previewChanged(world, options));
  const now = world.clock.now().toISOString();
  const around = { headCommit, pullRequest, runUrl, repositoryUrl, previewArtifact, now };
  return reports.ok
    ? { deployments: reports.value, ...around }
    : { deployments: [], previewProblems: reports.problems, ...around };
}

async function previewChanged(
  world: World,
  options: PullRequestOptions,
): Promise<readonly DeploymentReport[]> {
  const listed = await listDeployments(world.source.tree, world.repositoryName, world.folder);
  if (!listed.ok) throw new UserError(listed.problems);
  const base = await openBase(world, options);
  const known = [...listed.value, ...base.deployments];
  const deployments = options.choose(listed.value, known).map(options.adjusted);
  const changed = await findChangedIn(world, deployments, base, options);
  const reports = await reportInOrder(world, changed, listed.value);
  const removed = removedFrom(base, listed.value, options);
  const others = await otherLists(world.source.tree, world.folder, options.adjusted);
  const removedReports = await pMap(
    removed,
    (deployment) => {
      const file = others.ok ? others.fileOf(deployment) : undefined;
      return file === undefined
        ? reportRemoved(world, base.source, deployment, options)
        : reportMoved(deployment, file);
    },
    { concurrency: clustersAtOnce },
  );
  return [...reports, ...removedReports];
}

/** How many requests the workers can choose from: one worker should compile all that use the same adapter. */
const compiledAtOnce = 64;
/** Each requests many objects from the cluster at a time. */
const clustersAtOnce = 4;

interface ChangedDeployment {
  readonly request: PreviewRequest;
  readonly compiled: CompiledTwice;
}

/** Compiles what is changed and does not access the cluster: what the pull request does not change needs no comparison with it. */
async function findChangedIn(
  world: World,
  deployments: readonly Deployment[],
  base: Base,
  options: PullRequestOptions,
): Promise<readonly ChangedDeployment[]> {
  const push = { ...options, before: base.commit, readsCluster: false };
  const { deployments: changed } = await changedByPush(world, deployments, push);
  return pMap(
    changed,
    async (deployment) => {
      const request = requestFor(deployment, base, options);
      return { request, compiled: await compileTwice(world, request) };
    },
    { concurrency: compiledAtOnce },
  );
}

function requestFor(
  deployment: Deployment,
  base: Base,
  { inline, policy, adopt, timeoutMs, withoutCluster, approvedOf }: PullRequestOptions,
): PreviewRequest {
  const before = base.deployments.find(({ name }) => name === deployment.name);
  return {
    deployment,
    before: before === undefined ? undefined : { deployment: before, source: base.source },
    inline,
    policy,
    adopt,
    timeoutMs,
    onlyStage: undefined,
    // What is checked out is a merge that nobody will deploy.
    comparesCommits: false,
    approved: approvedOf?.(deployment.name),
    withoutCluster: withoutCluster ?? unknownContext(deployment, base.deployments),
  };
}

/**
 * Each after the deployments that it waits for, on top of what those will have changed of the same cluster: a Namespace, a definition or
 * a quota of another deployment decides about what comes later.
 */
async function reportInOrder(
  world: World,
  changed: readonly ChangedDeployment[],
  all: readonly Deployment[],
): Promise<readonly DeploymentReport[]> {
  const goingBefore = allBefore(all);
  const byName = new Map(changed.map((each) => [each.request.deployment.name, each]));
  const reports = new Map<string, DeploymentReport>();
  const report = async ({ name, context }: Deployment) => {
    const { request, compiled } = byName.get(name) as ChangedDeployment;
    const goingFirst = goingBefore.get(name) ?? [];
    const before = [...reports.values()].filter(
      (each) => goingFirst.includes(each.deployment.name) && each.deployment.context === context,
    );
    const earlier = earlierOf(before.flatMap(plansOf));
    const withoutCluster = request.withoutCluster ?? withoutPlan(before);
    const made = await reportOn(world, { ...request, earlier, withoutCluster }, compiled);
    return { ...made, earlier, waitsFor: goingFirst };
  };
  const deployments = changed.map(({ request }) => request.deployment);
  for (const level of levelsOf(deployments, all)) {
    const made = await pMap(level, report, { concurrency: clustersAtOnce });
    for (const each of made) reports.set(each.deployment.name, each);
  }
  return deployments.flatMap(({ name }) => reports.get(name) ?? []);
}

/** Whatever the cluster said of a deployment would be about another cluster than the one that it comes to. */
function withoutPlan(before: readonly DeploymentReport[]): string | undefined {
  const unplanned = before.find(({ plan }) => plan === undefined);
  return unplanned === undefined
    ? undefined
    : `the deployment ${unplanned.deployment.name}, which goes first, can't be planned`;
}

function plansOf({ deployment, plan }: DeploymentReport) {
  return plan === undefined ? [] : [{ deployment: deployment.name, plan }];
}

async function reportOn(
  world: World,
  request: PreviewRequest,
  compiled: CompiledTwice,
): Promise<DeploymentReport> {
  const report = await addCluster(world, request, compiled);
  const orphanWarnings = movedAway(request.before?.deployment, request.deployment);
  return orphanWarnings.length === 0 ? report : { ...report, orphanWarnings };
}

/** By its config at the base commit and, where the cluster may be asked, by what really is there. */
async function reportRemoved(
  world: World,
  base: Source,
  deployment: Deployment,
  options: PullRequestOptions,
): Promise<DeploymentReport> {
  const report = await removedDeployment(base, deployment, options.inline);
  if (options.withoutCluster !== undefined) return report;
  return { ...report, ...(await previewRemoval(world, deployment, options)) };
}

/** Merging deletes nothing of it: another list has it. */
function reportMoved(deployment: Deployment, file: string): DeploymentReport {
  return {
    deployment,
    problems: [],
    blockers: [],
    orphanWarnings: movedTo(deployment, file),
    clusterState: { compared: false, because: "it is listed elsewhere now" },
  };
}

/**
 * Why the cluster of a deployment must not be accessed; undefined when it may. The target branch decides which clusters
 * there are: a pull request must not send our credentials elsewhere, not even by omitting a context.
 */
function unknownContext(
  { context }: Deployment,
  before: readonly Deployment[],
): string | undefined {
  if (before.length === 0)
    return "the target branch has no deployments yet, so nothing there says which cluster may be asked";
  if (before.some((each) => each.context === context)) return undefined;
  return context === undefined
    ? "it names no context, and no deployment of the target branch uses the kubeconfig's current one yet"
    : `no deployment of the target branch uses the context "${context}" yet`;
}
