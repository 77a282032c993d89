import type { PullRequest, PullRequestComment } from "../../ports/github.ts";
import { encodeHtmlComment, md, splitLines } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { approvalMarker, ownerMarker, parseApprovals } from "../../report/comment/approval-line.ts";
import { listOwnComments } from "./own-comments.ts";

/**
 * Returns a view of the pull request with the comments of one workflow only, given by its file
 * path.
 * Two workflows that preview different deployments have one comment each. A comment without a
 * workflow, such as one from an earlier version, belongs to the first workflow that finds it. With
 * undefined, returns the pull request unchanged.
 */
export function viewWorkflowComments(
  pullRequest: PullRequest,
  workflow: string | undefined,
): PullRequest {
  if (workflow === undefined) return pullRequest;
  const keeper = md`${ownerMarker}${encodeHtmlComment(workflow)} -->`;
  const written = (body: Markdown): Markdown => {
    const lines = splitLines(body);
    return joined(lines.toSpliced(headLineCount(lines), 0, keeper), "\n");
  };
  return {
    ...pullRequest,
    comments: async () => {
      const ours = await listOwnComments(pullRequest);
      const own = ours.filter(({ body }) => ownerLine(body) === keeper);
      const found = own.length > 0 ? own : ours.filter(({ body }) => ownerLine(body) === undefined);
      return found.map((comment) => ({ ...comment, body: withoutOwnerLine(comment.body) }));
    },
    createComment: (body) => pullRequest.createComment(written(body)),
    updateComment: (id, body) => pullRequest.updateComment(id, written(body)),
  };
}

/**
 * Returns a view of the pull request for the outcome of deployments, which another workflow
 * reports. It contains only the oldest comment that shows one of these deployments.
 */
export function viewDeploymentComment(
  pullRequest: PullRequest,
  names: readonly string[],
): PullRequest {
  const showsDeployment = ({ body }: PullRequestComment) =>
    names.some((name) => parseApprovals(body)?.approvals.has(name));
  return {
    ...pullRequest,
    comments: async () => {
      const ours = (await listOwnComments(pullRequest)).toSorted((a, b) => a.id - b.id);
      const shown = ours.find(showsDeployment) ?? ours[0];
      return shown === undefined ? [] : [shown];
    },
  };
}

/**
 * Returns the path of the workflow file from GITHUB_WORKFLOW_REF, for example
 * `acme/shop/.github/workflows/plan.yml@refs/heads/main`.
 */
export function workflowPath({ GITHUB_WORKFLOW_REF = "" }: NodeJS.ProcessEnv): string | undefined {
  return /^[^/]+\/[^/]+\/(.+?\.ya?ml)@/.exec(GITHUB_WORKFLOW_REF)?.[1];
}

/** Returns the number of lines with the marker and the approvals. */
function headLineCount(lines: readonly string[]): number {
  return lines[1]?.startsWith(approvalMarker) === true ? 2 : 1;
}

/**
 * Returns the line that names the workflow. It is read only at its own position, because a value in
 * the preview can look like it.
 */
function ownerLine(body: string): string | undefined {
  const lines = body.split(/\r?\n/);
  const line = lines[headLineCount(lines)];
  return line?.startsWith(ownerMarker) === true ? line : undefined;
}

function withoutOwnerLine(body: string): string {
  if (ownerLine(body) === undefined) return body;
  const lines = body.split(/\r?\n/);
  return lines.toSpliced(headLineCount(lines), 1).join("\n");
}
