import { UserError } from "../errors.ts";
import type { Deployment } from "../model/deployment.ts";
import type { PullRequest } from "../ports.ts";
import { hasSomethingToSay, renderComment, renderSummary } from "../report/comment.ts";
import type { CommentInput, DeploymentReport } from "../report/comment-input.ts";
import { commitTreeAt } from "./commit-source.ts";
import { isChanged } from "./find-changed.ts";
import { listDeployments } from "./list-deployments.ts";
import { previewDeployment } from "./preview-deployment.ts";
import { stickyComment } from "./sticky-comment.ts";
import type { Source, World } from "./world.ts";

export interface PullRequestOptions {
  /** Commit of the target branch. */
  readonly base: string;
  /** Tip of the pull request's branch, for the footer. */
  readonly headSha: string;
  readonly inline: readonly string[];
  readonly allowDelete: readonly string[];
  readonly withoutCluster: string | undefined;
  /** Which deployments are looked at. */
  readonly isChosen: (deployment: Deployment) => boolean;
  /** What is said instead of its entry in deployments.yaml, at both commits. */
  readonly adjusted: (deployment: Deployment) => Deployment;
  readonly comment: "always" | "changes" | "never";
  readonly runUrl: string | undefined;
}

export interface PullRequestOutcome {
  readonly input: CommentInput;
  /** Markdown for the step summary. */
  readonly summary: string;
  readonly commentUrl: string | undefined;
}

/** Previews every deployment that a pull request changes, and keeps one comment of it current. */
export async function previewPullRequest(
  world: World,
  conversation: PullRequest | undefined,
  options: PullRequestOptions,
): Promise<PullRequestOutcome> {
  const base = await commitTreeAt(world, options.base);
  const reports = await previewChanged(world, base, options);
  const input = { deployments: reports, headCommit: options.headSha, runUrl: options.runUrl };
  const summary = renderSummary(input);
  if (conversation === undefined || options.comment === "never")
    return { input, summary, commentUrl: undefined };
  const commentUrl = await stickyComment(conversation, renderComment(input), {
    create: options.comment === "always" || hasSomethingToSay(input),
    shorten: (limit) => renderComment(input, limit),
  });
  return { input, summary, commentUrl };
}

async function previewChanged(
  world: World,
  base: Source,
  options: PullRequestOptions,
): Promise<readonly DeploymentReport[]> {
  const after = await listDeployments(world.source.tree, world.repositoryName);
  if (!after.ok) throw new UserError(after.problems);
  const before = await listDeployments(base.tree, world.repositoryName);
  const earlier = new Map(
    (before.ok ? before.value : []).map((each) => [each.name, options.adjusted(each)]),
  );
  const reports: DeploymentReport[] = [];
  for (const deployment of after.value.filter(options.isChosen).map(options.adjusted)) {
    const former = earlier.get(deployment.name);
    const report = await previewDeployment(world, {
      deployment,
      before: former === undefined ? undefined : { deployment: former, source: base },
      inline: options.inline,
      allowDelete: options.allowDelete,
      withoutCluster: options.withoutCluster ?? newContext(deployment, [...earlier.values()]),
    });
    const { base: old, head } = report;
    const compared = { deployment, before: former, base: old, head };
    if (await isChanged(world, options.base, compared)) reports.push(report);
  }
  return reports;
}

/** Which clusters are asked is decided by the target branch: a pull request must not aim our credentials elsewhere. */
function newContext({ context }: Deployment, before: readonly Deployment[]): string | undefined {
  if (context === undefined || before.some((each) => each.context === context)) return undefined;
  return `no deployment of the target branch uses the context "${context}" yet`;
}
