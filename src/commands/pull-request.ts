import { UserError } from "../errors.ts";
import type { Deployment } from "../model/deployment.ts";
import type { PlanPolicy } from "../model/plan.ts";
import type { PullRequest } from "../ports.ts";
import { hasSomethingToSay, renderComment } from "../report/comment.ts";
import type { CommentInput, DeploymentReport } from "../report/comment-input.ts";
import { catchProblems } from "./catch-problems.ts";
import { commitTreeAt } from "./commit-source.ts";
import { findChanged } from "./find-changed.ts";
import { inParallel } from "./in-parallel.ts";
import { movedAway, removedDeployment } from "./left-behind.ts";
import { listDeployments } from "./list-deployments.ts";
import { unknownContext } from "./preview-context.ts";
import {
  addCluster,
  type CompiledTwice,
  compileTwice,
  type PreviewRequest,
} from "./preview-deployment.ts";
import { type PullRequestCommits, pullRequestBase } from "./pull-request-base.ts";
import { stickyComment } from "./sticky-comment.ts";
import type { Source, World } from "./world.ts";

export interface PullRequestOptions extends PullRequestCommits {
  readonly inline: readonly string[];
  readonly policy: PlanPolicy;
  readonly withoutCluster: string | undefined;
  /** Which deployments are looked at. */
  readonly isChosen: (deployment: Deployment) => boolean;
  /** What is said instead of its entry in deployments.yaml, at both commits. */
  readonly adjusted: (deployment: Deployment) => Deployment;
  readonly runUrl: string | undefined;
}

/** Previews every deployment that a pull request changes. What keeps all of them from being previewed is told as well. */
export async function previewPullRequest(
  world: World,
  options: PullRequestOptions,
): Promise<CommentInput> {
  const { headSha: headCommit, runUrl } = options;
  const reports = await catchProblems(() => previewChanged(world, options));
  return reports.ok
    ? { deployments: reports.value, headCommit, runUrl }
    : { deployments: [], obstacles: reports.problems, headCommit, runUrl };
}

/** Keeps the pull request's one comment current; its address, or undefined when there is nothing to say and none yet. */
export async function commentOn(
  conversation: PullRequest,
  input: CommentInput,
  when: "always" | "changes",
): Promise<string | undefined> {
  return stickyComment(conversation, renderComment(input), {
    create: when === "always" || hasSomethingToSay(input),
    shorten: (limit) => renderComment(input, limit),
  });
}

/** What the pull request is compared with. */
interface Base {
  readonly commit: string;
  readonly source: Source;
  readonly deployments: readonly Deployment[];
}

async function previewChanged(
  world: World,
  options: PullRequestOptions,
): Promise<readonly DeploymentReport[]> {
  const listed = await listDeployments(world.source.tree, world.repositoryName);
  if (!listed.ok) throw new UserError(listed.problems);
  const base = await openBase(world, options);
  const deployments = listed.value.filter(options.isChosen).map(options.adjusted);
  const changed = await findChangedIn(world, deployments, base, options);
  const reports = await inParallel(changed, clustersAtOnce, ({ request, compiled }) =>
    reportOn(world, request, compiled),
  );
  const present = new Set(listed.value.map(({ name }) => name));
  const removed = base.deployments
    .filter(({ name }) => !present.has(name))
    .filter(options.isChosen);
  const gone = await inParallel(removed, compiledAtOnce, (deployment) =>
    removedDeployment(base.source, deployment, options.inline),
  );
  return [...reports, ...gone];
}

/** All that a worker may choose from: those of one adapter are best compiled by one. */
const compiledAtOnce = 64;
/** Each asks the cluster for many objects at a time. */
const clustersAtOnce = 4;

interface ChangedDeployment {
  readonly request: PreviewRequest;
  readonly compiled: CompiledTwice;
}

/** Compiles all, and asks the cluster about none: what the pull request does not change is not of interest there. */
async function findChangedIn(
  world: World,
  deployments: readonly Deployment[],
  base: Base,
  options: PullRequestOptions,
): Promise<readonly ChangedDeployment[]> {
  const isChanged = findChanged(world);
  const compiled = await inParallel(deployments, compiledAtOnce, async (deployment) => {
    const request = requestFor(deployment, base, options);
    const both = await compileTwice(world, request);
    const before = request.before?.deployment;
    const compared = { deployment, before, base: both.report.base, head: both.report.head };
    return { request, compiled: both, changed: await isChanged(base.commit, compared) };
  });
  return compiled.filter(({ changed }) => changed);
}

/** A list that cannot be read at the base is what the pull request may be there to mend. */
async function openBase(world: World, options: PullRequestOptions): Promise<Base> {
  const commit = await pullRequestBase(world, options);
  const source = await commitTreeAt(world, commit);
  const listed = await listDeployments(source.tree, world.repositoryName);
  return { commit, source, deployments: (listed.ok ? listed.value : []).map(options.adjusted) };
}

function requestFor(
  deployment: Deployment,
  base: Base,
  { inline, policy, withoutCluster }: PullRequestOptions,
): PreviewRequest {
  const before = base.deployments.find(({ name }) => name === deployment.name);
  return {
    deployment,
    before: before === undefined ? undefined : { deployment: before, source: base.source },
    inline,
    policy,
    withoutCluster: withoutCluster ?? unknownContext(deployment, base.deployments),
  };
}

async function reportOn(
  world: World,
  request: PreviewRequest,
  compiled: CompiledTwice,
): Promise<DeploymentReport> {
  const report = await addCluster(world, request, compiled);
  const leftBehind = movedAway(request.before?.deployment, request.deployment);
  return leftBehind.length === 0 ? report : { ...report, leftBehind };
}
