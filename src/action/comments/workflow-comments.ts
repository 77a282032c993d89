import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
import { inHtmlComment, md } from "../../redaction/markdown.ts";
import { splitLines } from "../../redaction/own-markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { approvalMarker, approvalsIn, keeperMarker } from "../../report/comment/approval-line.ts";
import { commentsOfOurs } from "./marked-text.ts";

/**
 * The conversation as it is for the previews of one workflow, by the path of its file: two that preview different deployments keep a
 * comment each. One that says no workflow, as those of earlier versions, belongs to the first that finds it. undefined changes nothing.
 */
export function ofWorkflow(pullRequest: PullRequest, workflow: string | undefined): PullRequest {
  if (workflow === undefined) return pullRequest;
  const keeper = md`${keeperMarker}${inHtmlComment(workflow)} -->`;
  const written = (body: Markdown): Markdown => {
    const lines = splitLines(body);
    return joined(lines.toSpliced(linesOfHead(lines), 0, keeper), "\n");
  };
  return {
    ...pullRequest,
    comments: async () => {
      const ours = await commentsOfOurs(pullRequest);
      const own = ours.filter(({ body }) => keeperOf(body) === keeper);
      const found = own.length > 0 ? own : ours.filter(({ body }) => keeperOf(body) === undefined);
      return found.map((comment) => ({ ...comment, body: withoutKeeper(comment.body) }));
    },
    createComment: (body) => pullRequest.createComment(written(body)),
    updateComment: (id, body) => pullRequest.updateComment(id, written(body)),
  };
}

/** The conversation as it is for what came of deployments, which another workflow tells: in the oldest comment that shows one of them. */
export function ofDeployments(pullRequest: PullRequest, names: readonly string[]): PullRequest {
  const shows = ({ body }: PullRequestComment) =>
    names.some((name) => approvalsIn(body)?.approvals.has(name));
  return {
    ...pullRequest,
    comments: async () => {
      const ours = (await commentsOfOurs(pullRequest)).toSorted((a, b) => a.id - b.id);
      const told = ours.find(shows) ?? ours[0];
      return told === undefined ? [] : [told];
    },
  };
}

/** The path of the workflow's file, by GITHUB_WORKFLOW_REF: `acme/shop/.github/workflows/plan.yml@refs/heads/main`. */
export function workflowIn({ GITHUB_WORKFLOW_REF = "" }: NodeJS.ProcessEnv): string | undefined {
  return /^[^/]+\/[^/]+\/(.+?\.ya?ml)@/.exec(GITHUB_WORKFLOW_REF)?.[1];
}

/** Our marker, and what may be approved. */
function linesOfHead(lines: readonly string[]): number {
  return lines[1]?.startsWith(approvalMarker) === true ? 2 : 1;
}

/** Only where we write it: a value in the preview may look like it. */
function keeperOf(body: string): string | undefined {
  const lines = body.split(/\r?\n/);
  const line = lines[linesOfHead(lines)];
  return line?.startsWith(keeperMarker) === true ? line : undefined;
}

function withoutKeeper(body: string): string {
  if (keeperOf(body) === undefined) return body;
  const lines = body.split(/\r?\n/);
  return lines.toSpliced(linesOfHead(lines), 1).join("\n");
}
