import * as v from "valibot";
import {
  type Approval,
  type ApprovalPolicy,
  type ApprovedPlans,
  codeLength,
  codePattern,
} from "../../model/plan/approval.ts";
import type { Account, ReviewedComment, ReviewedPullRequest } from "../../ports/github.ts";
import { parseApprovals } from "../../report/comment/approval-line.ts";
import { commentMarker } from "../../report/comment/render-comment.ts";
import { startsWithMarker } from "../comments/own-comments.ts";

/** The approvals of all deployments in a push. One job finds them and passes them to other jobs. */
export interface FoundApprovals {
  readonly approved: readonly {
    readonly by: string;
    readonly deployments: readonly NamedApproval[];
  }[];
  /** The reasons why approvals are missing, one sentence each. */
  readonly missing: readonly string[];
}

interface NamedApproval extends Approval {
  /** The name of the deployment. */
  readonly name: string;
}

export function noApprovals(because: string): FoundApprovals {
  return { approved: [], missing: [because] };
}

export function together(found: readonly FoundApproval[]): FoundApprovals {
  return {
    approved: found.flatMap((each) =>
      "deployments" in each ? [{ by: each.by, deployments: named(each.deployments) }] : [],
    ),
    missing: found.flatMap((each) => ("missing" in each ? [each.missing] : [])),
  };
}

function named(approvals: ReadonlyMap<string, Approval>): readonly NamedApproval[] {
  return [...approvals].map(([name, approval]) => ({ name, ...approval }));
}

/** Returns the approved plans of one deployment. */
export function selectApprovedPlans(
  { approved, missing }: FoundApprovals,
  deployment: string,
  policy: ApprovalPolicy,
): ApprovedPlans {
  const found = approved.map(({ by, deployments }) => ({
    by,
    approval: deployments.find(({ name }) => name === deployment),
  }));
  return {
    policy,
    approvals: found.flatMap(({ by, approval }) => {
      if (approval === undefined) return [];
      const { digest, operations } = approval;
      return [{ by, digest, operations }];
    }),
    missing: [
      ...missing,
      ...found
        .filter(({ approval }) => approval === undefined)
        .map(
          ({ by }) =>
            `the comment on ${by} contains no plan of ${deployment} that the merge could approve`,
        ),
    ],
  };
}

/**
 * The size limit of the output. Linux limits a process variable to 131,072 bytes, and an input is
 * passed in one.
 */
const maxBytes = 100_000;

/**
 * Serializes the approvals for an output.
 * If they are too large, the longest lists of operations are left out. Those deployments then need
 * exactly the approved plan.
 */
export function writeFoundApprovals(found: FoundApprovals): string {
  const { approved, missing } = found;
  const all = approved.flatMap(({ deployments }) => deployments);
  const bare = write({ approved: approved.map((each) => listing(each, new Set())), missing });
  let room = maxBytes - Buffer.byteLength(bare);
  const listed = new Set<Approval>();
  for (const approval of all.toSorted(
    (one, other) => operationsSize(one) - operationsSize(other),
  )) {
    room -= operationsSize(approval);
    if (room >= 0) listed.add(approval);
  }
  if (Buffer.byteLength(bare) > maxBytes) return write(noApprovals(tooMany));
  return write({ approved: approved.map((each) => listing(each, listed)), missing });
}

const tooMany = "the approved plans of this push are too large to pass from job to job";

function write(found: FoundApprovals): string {
  return JSON.stringify({ version, ...found });
}

/** Returns the approvals with the operations of the `listed` ones only. */
function listing(
  { by, deployments }: FoundApprovals["approved"][number],
  listed: ReadonlySet<Approval>,
): FoundApprovals["approved"][number] {
  return {
    by,
    deployments: deployments.map((each) =>
      listed.has(each) ? each : { name: each.name, digest: each.digest },
    ),
  };
}

/** Estimates the size of the operations as JSON. */
function operationsSize({ operations = [] }: Approval): number {
  return operations.length * (codeLength + 3) + 20;
}

const version = 1;

/** Parses the output of `writeFoundApprovals`; returns undefined for any other text. */
export function readFoundApprovals(text: string): FoundApprovals | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  return parsed.success ? parsed.output : undefined;
}

const shape = v.object({
  version: v.literal(version),
  approved: v.array(
    v.object({
      by: v.string(),
      deployments: v.array(
        v.object({
          name: v.string(),
          digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
          operations: v.optional(v.array(v.pipe(v.string(), v.regex(codePattern)))),
        }),
      ),
    }),
  ),
  missing: v.array(v.string()),
});

/** The approvals in the comment on a pull request, or the reason why the comment doesn't count. */
type FoundApproval =
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
