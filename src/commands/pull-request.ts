import { UserError } from "../errors.ts";
import type { Deployment } from "../model/deployment.ts";
import type { PlanPolicy } from "../model/plan.ts";
import type { PullRequest } from "../ports.ts";
import { hasSomethingToSay, renderComment } from "../report/comment.ts";
import type { CommentInput, DeploymentReport } from "../report/comment-input.ts";
import { catchProblems } from "./catch-problems.ts";
import { commitTreeAt } from "./commit-source.ts";
import { isChanged } from "./find-changed.ts";
import { movedAway, removedDeployment } from "./left-behind.ts";
import { listDeployments } from "./list-deployments.ts";
import { unknownContext } from "./preview-context.ts";
import { previewDeployment } from "./preview-deployment.ts";
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
  const reports: DeploymentReport[] = [];
  for (const deployment of listed.value.filter(options.isChosen).map(options.adjusted)) {
    const report = await previewOne(world, deployment, base, options);
    if (report !== undefined) reports.push(report);
  }
  const present = new Set(listed.value.map(({ name }) => name));
  const removed = base.deployments.filter(({ name }) => !present.has(name));
  for (const deployment of removed.filter(options.isChosen))
    reports.push(await removedDeployment(base.source, deployment, options.inline));
  return reports;
}

/** A list that cannot be read at the base is what the pull request may be there to mend. */
async function openBase(world: World, options: PullRequestOptions): Promise<Base> {
  const commit = await pullRequestBase(world, options);
  const source = await commitTreeAt(world, commit);
  const listed = await listDeployments(source.tree, world.repositoryName);
  return { commit, source, deployments: (listed.ok ? listed.value : []).map(options.adjusted) };
}

/** undefined when the pull request does not change it. */
async function previewOne(
  world: World,
  deployment: Deployment,
  base: Base,
  { inline, policy, withoutCluster }: PullRequestOptions,
): Promise<DeploymentReport | undefined> {
  const before = base.deployments.find(({ name }) => name === deployment.name);
  const report = await previewDeployment(world, {
    deployment,
    before: before === undefined ? undefined : { deployment: before, source: base.source },
    inline,
    policy,
    withoutCluster: withoutCluster ?? unknownContext(deployment, base.deployments),
  });
  const compared = { deployment, before, base: report.base, head: report.head };
  if (!(await isChanged(world, base.commit, compared))) return undefined;
  const leftBehind = movedAway(before, deployment);
  return leftBehind.length === 0 ? report : { ...report, leftBehind };
}
