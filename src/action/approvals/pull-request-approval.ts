import type { Approval } from "../../model/approval.ts";
import type { Account, ReviewedComment, ReviewedPullRequest } from "../../ports/github.ts";
import { parseApprovals } from "../../report/comment/approval-line.ts";
import { commentMarker } from "../../report/comment/render-comment.ts";
import { startsWithMarker } from "../comments/marked-text.ts";

/** The approvals in the comment on a pull request, or the reason why the comment doesn't count. */
export type FoundApproval =
  | { readonly by: string; readonly deployments: ReadonlyMap<string, Approval> }
  | { readonly by: string; readonly missing: string };

/**
 * Returns the plans that the merge of a pull request approved.
 * The comment counts if qvs's own account wrote it before the merge, no other account ever edited
 * it, and it shows the merged commit. An edit that qvs has overwritten counts as an edit too,
 * because qvs keeps parts of the existing text. The comment on a pull request from a fork never
 * counts: its plan is made without the cluster.
 */
export function pullRequestApproval(
  pull: ReviewedPullRequest,
  marker: string = commentMarker,
): FoundApproval {
  const by = `#${pull.number}`;
  if (pull.fromFork)
    return { by, missing: `${by} is from a fork, and qvs plans forks without the cluster` };
  const own = pull.comments.filter((comment) => isMarked(comment, marker));
  if (own.length === 0) return { by, missing: `${by} has no comment from qvs` };
  const edited = own.find(({ author, editors }) => !isUntouched(author, editors));
  if (edited !== undefined) return { by, missing: editedReason(by, edited) };
  const seen = own.flatMap((comment) => (comment.seen.type === "text" ? comment.seen.text : []));
  const lines = seen
    .filter((text) => startsWithMarker(text, marker))
    .flatMap((it) => parseApprovals(it) ?? []);
  const current = lines.filter(({ commit }) => commit === pull.head);
  const [other] = lines;
  if (current.length > 0) {
    return { by, deployments: new Map(current.flatMap(({ approvals }) => [...approvals])) };
  }
  return { by, missing: noApprovalReason(pull, own, other?.commit) };
}

function noApprovalReason(
  { number, head }: ReviewedPullRequest,
  own: readonly ReviewedComment[],
  commit: string | undefined,
): string {
  const comment = `the comment on #${number}`;
  if (commit !== undefined)
    return `${comment} shows the plan of commit ${commit.slice(0, 12)}, but the merged commit is ${head.slice(0, 12)}`;
  if (own.some(({ seen }) => seen.type === "unknown"))
    return `GitHub doesn't report what ${comment} showed at the merge, and it was changed later`;
  return own.every(({ seen }) => seen.type === "later")
    ? `${comment} was written after the merge, so it approves nothing`
    : `${comment} contains no plan that the merge could approve`;
}

/** Reports whether the comment is qvs's. It checks the author too: any user can copy the marker. */
function isMarked({ body, isOurs }: ReviewedComment, marker: string): boolean {
  return isOurs && startsWithMarker(body, marker);
}

function accountName({ login, isBot }: Account): string {
  return isBot ? `${login}[bot]` : login;
}

function isUntouched(author: Account | undefined, editors: ReviewedComment["editors"]): boolean {
  return (
    author !== undefined &&
    editors?.every((editor) => accountName(editor) === accountName(author)) === true
  );
}

function editedReason(by: string, { author, editors }: ReviewedComment): string {
  const again = "delete the comment and run the preview again";
  if (editors === undefined)
    return `GitHub doesn't report who edited the comment on ${by}: ${again}`;
  const others = editors
    .map(accountName)
    .filter((name) => author === undefined || name !== accountName(author));
  return `the comment on ${by} was edited by ${[...new Set(others)].join(" and ")}, so it isn't an approval: ${again}`;
}
