import type { Approval } from "../../model/approval.ts";
import type { Account, ReviewedComment, ReviewedPullRequest } from "../../ports/github.ts";
import { approvalsIn } from "../../report/comment/approval-line.ts";
import { commentMarker } from "../../report/comment/comment.ts";
import { begins } from "../comments/marked-text.ts";

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
export function approvalsOf(
  pull: ReviewedPullRequest,
  marker: string = commentMarker,
): FoundApproval {
  const by = `#${pull.number}`;
  if (pull.fromFork)
    return { by, missing: `${by} comes from a fork, whose plan is made without the cluster` };
  const own = pull.comments.filter((comment) => isMarked(comment, marker));
  if (own.length === 0) return { by, missing: `${by} has no comment of ours` };
  const edited = own.find(({ author, editors }) => !isUntouched(author, editors));
  if (edited !== undefined) return { by, missing: whyEdited(by, edited) };
  const seen = own.flatMap((comment) => (comment.seen.type === "text" ? comment.seen.text : []));
  const lines = seen.filter((text) => begins(text, marker)).flatMap((it) => approvalsIn(it) ?? []);
  const current = lines.filter(({ commit }) => commit === pull.head);
  const [other] = lines;
  if (current.length > 0) {
    return { by, deployments: new Map(current.flatMap(({ approvals }) => [...approvals])) };
  }
  return { by, missing: whyNone(pull, own, other?.commit) };
}

function whyNone(
  { number, head }: ReviewedPullRequest,
  own: readonly ReviewedComment[],
  commit: string | undefined,
): string {
  const comment = `the comment of #${number}`;
  if (commit !== undefined)
    return `${comment} shows the plan of ${commit.slice(0, 12)}, and what was merged is ${head.slice(0, 12)}`;
  if (own.some(({ seen }) => seen.type === "unknown"))
    return `GitHub does not say what ${comment} showed when it was merged, and it was changed since`;
  return own.every(({ seen }) => seen.type === "later")
    ? `${comment} was written after it was merged, so nobody could decide by it`
    : `${comment} has no plan that could be approved`;
}

/** Reports whether the comment is qvs's. It checks the author too: any user can copy the marker. */
function isMarked({ body, isOurs }: ReviewedComment, marker: string): boolean {
  return isOurs && begins(body, marker);
}

function nameOf({ login, isBot }: Account): string {
  return isBot ? `${login}[bot]` : login;
}

function isUntouched(author: Account | undefined, editors: ReviewedComment["editors"]): boolean {
  return (
    author !== undefined && editors?.every((editor) => nameOf(editor) === nameOf(author)) === true
  );
}

function whyEdited(by: string, { author, editors }: ReviewedComment): string {
  const again = "delete it and run the preview again, so that it is written again";
  if (editors === undefined)
    return `GitHub does not say who has edited the comment of ${by}: ${again}`;
  const others = editors
    .map(nameOf)
    .filter((name) => author === undefined || name !== nameOf(author));
  return `the comment of ${by} was edited by ${[...new Set(others)].join(" and ")}, so it is no approval: ${again}`;
}
