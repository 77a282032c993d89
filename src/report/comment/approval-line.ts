import { type Approval, codeLength, codePattern } from "../../model/plan/approval.ts";
import { hiddenText, md } from "../../redaction/markdown.ts";
import type { Markdown } from "../../redaction/shown.ts";

/** The start of a comment's second line, which contains the digests that a user can approve. */
export const approvalMarker = md`<!-- qvs-action:approval v1`;
/**
 * The start of the line that names the workflow that updates the comment. It follows the approval
 * line.
 */
export const ownerMarker = md`<!-- qvs-action:by `;

/** The previewed plan of a deployment. A plan without a digest can't be approved. */
interface Approvable {
  readonly name: string;
  readonly digest?: Approval["digest"] | undefined;
  readonly operations?: Approval["operations"];
}

/** Renders the approval line of a preview. Returns undefined if no deployment can be approved. */
export function renderApprovals(
  commit: string,
  deployments: readonly Approvable[],
): Markdown | undefined {
  const found = deployments.flatMap(({ name, digest, operations }) =>
    digest === undefined ? [] : [[name, { digest, operations }] as const],
  );
  if (found.length === 0) return undefined;
  const line = writeApprovals({ commit, approvals: new Map(found) });
  return md`${approvalMarker} ${hiddenText(line)} -->`;
}

/**
 * Parses what a comment of this Action offers for approval.
 * Only the second line counts. A similar line further below came from a repository or a cluster.
 */
export function parseApprovals(body: string): ApprovalLine | undefined {
  const [, line = ""] = body.split(/\r?\n/, 2);
  const [start, end] = [`${approvalMarker} `, " -->"];
  if (!line.startsWith(start) || !line.endsWith(end)) return undefined;
  return readApprovals(line.slice(start.length, -end.length));
}

/** The approvable plans of a pull request at one commit, by deployment. */
export interface ApprovalLine {
  /** The full ID of the previewed commit. */
  readonly commit: string;
  readonly approvals: ReadonlyMap<string, Approval>;
}

/**
 * The maximum number of characters for the operations of all deployments. The largest plans get
 * only a digest.
 */
const roomForOperations = 8_000;
/**
 * The maximum number of characters for the whole line. Deployments that don't fit can't be
 * approved.
 */
const roomForLine = 24_000;

/**
 * Writes one line: the commit, then the name of each deployment and its digest in base64url.
 * The codes of the operations follow the digest if they fit. The line has only letters, digits and
 * a few signs. None of them ends an HTML comment.
 */
export function writeApprovals({ commit, approvals }: ApprovalLine): string {
  const entries = fitOperations(approvals).map(
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

/** Parses a line of `writeApprovals`. Returns undefined for any other text. */
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

/**
 * Keeps the operations of the smallest plans and drops the others.
 * This way, as many deployments as possible can be compared by their operations.
 */
function fitOperations(
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
