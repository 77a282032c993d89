import type { Approval } from "../../model/approval.ts";
import { codeLength, codePattern } from "../../model/problems/approval-codes.ts";
import { hidden, md } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";

/** Begins the second line of a comment that holds what may be approved. */
export const approvalMarker = md`<!-- qvs-action:approval v1`;
/** How the line begins that names the workflow which keeps the comment, after what may be approved. */
export const keeperMarker = md`<!-- qvs-action:by `;

/** What is previewed of a deployment; without a digest nothing of it can be approved. */
interface Approvable {
  readonly name: string;
  readonly digest?: Approval["digest"] | undefined;
  readonly operations?: Approval["operations"];
}

/** The line of a preview; undefined where nothing of it can be deployed. */
export function renderApprovals(
  commit: string,
  deployments: readonly Approvable[],
): Markdown | undefined {
  const found = deployments.flatMap(({ name, digest, operations }) =>
    digest === undefined ? [] : [[name, { digest, operations }] as const],
  );
  if (found.length === 0) return undefined;
  const line = writeApprovals({ commit, approvals: new Map(found) });
  return md`${approvalMarker} ${hidden(line)} -->`;
}

/**
 * What a comment of ours offers for approval. Only its second line counts: whatever looks like that line further below came from a
 * repository or a cluster.
 */
export function approvalsIn(body: string): ApprovalLine | undefined {
  const [, line = ""] = body.split(/\r?\n/, 2);
  const [start, end] = [`${approvalMarker} `, " -->"];
  if (!line.startsWith(start) || !line.endsWith(end)) return undefined;
  return readApprovals(line.slice(start.length, -end.length));
}

/** The approvable plans of a pull request at one commit, by deployment. */
export interface ApprovalLine {
  /** Full commit id that was previewed. */
  readonly commit: string;
  readonly approvals: ReadonlyMap<string, Approval>;
}

/** How many characters the operations of all deployments may take up; the largest plans are listed by their digests alone. */
const roomForOperations = 8_000;
/** With the digests. What has no room is not approved. */
const roomForLine = 24_000;

/**
 * One line of text: the commit, then for each deployment its name, the digest in base64url and, where there is room, the codes of
 * its operations. Letters, digits and a few signs, none of which ends an HTML comment.
 */
export function writeApprovals({ commit, approvals }: ApprovalLine): string {
  const entries = withinRoom(approvals).map(
    ([name, { digest, operations }]) =>
      `${encodeURIComponent(name.toWellFormed())}=${toBase64url(digest)}${operations === undefined ? "" : `.${operations.join("")}`}`,
  );
  let room = roomForLine;
  const fitting = entries.filter((entry) => {
    room -= entry.length + 1;
    return room >= 0;
  });
  return [commit, ...fitting].join(" ");
}

/** What `writeApprovals` has written; undefined for anything else. */
export function readApprovals(text: string): ApprovalLine | undefined {
  const [commit = "", ...entries] = text.split(" ");
  const read = entries.map(readEntry);
  const isValid = /^[0-9a-f]{40,64}$/.test(commit) && read.every((entry) => entry !== undefined);
  if (!isValid) return undefined;
  return { commit, approvals: new Map(read.filter((entry) => entry !== undefined)) };
}

function readEntry(entry: string): readonly [string, Approval] | undefined {
  const [, name = "", digest = "", joined] =
    /^([\w.!~*'()%-]+)=([\w-]{43})(?:\.([\w-]*))?$/.exec(entry) ?? [];
  if (name === "" || (joined?.length ?? 0) % codeLength !== 0) return undefined;
  const operations =
    joined === undefined ? undefined : (joined.match(new RegExp(`.{${codeLength}}`, "g")) ?? []);
  if (operations?.some((code) => !codePattern.test(code)) === true) return undefined;
  const decoded = decodeName(name);
  return decoded === undefined
    ? undefined
    : [decoded, { digest: Buffer.from(digest, "base64url").toString("hex"), operations }];
}

function decodeName(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** The smallest plans keep their operations: as many deployments as possible can be compared by what they mean. */
function withinRoom(
  approvals: ReadonlyMap<string, Approval>,
): readonly (readonly [string, Approval])[] {
  const room = (approval: Approval) => (approval.operations?.length ?? 0) * codeLength;
  const smallestFirst = [...approvals].toSorted(
    ([nameA, a], [nameB, b]) => room(a) - room(b) || (nameA < nameB ? -1 : 1),
  );
  let left = roomForOperations;
  const listed = new Set<string>();
  for (const [name, approval] of smallestFirst) {
    left -= room(approval);
    if (left >= 0) listed.add(name);
  }
  return [...approvals].map(([name, approval]) =>
    listed.has(name) ? [name, approval] : [name, { digest: approval.digest }],
  );
}

function toBase64url(digest: string): string {
  return Buffer.from(digest, "hex").toString("base64url");
}
