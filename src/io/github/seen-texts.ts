import type { SeenText } from "../../ports/github.ts";
import type { GitHubClient } from "./client.ts";

/** What GitHub tells of how a comment became what it is. All times are GitHub's. */
export interface CommentHistory {
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** null where it never was. */
  readonly lastEditedAt: string | null;
  readonly userContentEdits: {
    readonly pageInfo: { readonly hasNextPage: boolean };
    readonly nodes: readonly (Edit | null)[] | null;
  } | null;
}

export interface Edit {
  readonly id: string;
  readonly editedAt: string;
  /** Of this entry of the history itself. */
  readonly updatedAt: string;
  /** Somebody has deleted what the comment said then; that there was an edit stays known. */
  readonly deletedAt: string | null;
}

/** A comment, and until when what it said was seen; undefined where it still is. */
interface Asked<T extends CommentHistory> {
  readonly comment: T;
  readonly until: string | undefined;
}

/**
 * What comments said before a time. One that nobody has edited since says so itself; of the others GitHub is asked for the text of the
 * last edit before it, and nothing takes the place of an answer.
 */
export async function seenTexts<T extends CommentHistory>(
  client: Pick<GitHubClient, "graphql">,
  asked: readonly Asked<T>[],
): Promise<ReadonlyMap<T, SeenText>> {
  const found = asked.map(({ comment, until }) => ({ comment, last: lastBefore(comment, until) }));
  const ids = found.flatMap(({ last }) => (last.type === "edits" ? last.ids : []));
  const texts = await textsOfEdits(client, ids);
  return new Map(
    found.map(({ comment, last }) => [
      comment,
      last.type === "edits" ? together(last.ids.map((id) => texts.get(id))) : last,
    ]),
  );
}

type Last = SeenText | { readonly type: "edits"; readonly ids: readonly string[] };

/** GitHub's times have seconds: what was written in the very second of the merge may have come after it. */
function lastBefore(comment: CommentHistory, until: string | undefined): Last {
  const { body, createdAt, updatedAt, lastEditedAt, userContentEdits } = comment;
  if (until === undefined) return { type: "text", text: body };
  const isBefore = (time: string) => Date.parse(time) < Date.parse(until);
  if (!isBefore(createdAt)) return { type: "later" };
  const nodes = userContentEdits?.nodes ?? [];
  const edits = nodes.filter((edit) => edit !== null);
  const times = [updatedAt, lastEditedAt ?? updatedAt, ...edits.map(({ editedAt }) => editedAt)];
  if (times.every(isBefore)) return { type: "text", text: body };
  if (edits.length < nodes.length || userContentEdits?.pageInfo.hasNextPage === true)
    return { type: "unknown" };
  const before = edits.filter((edit) => isBefore(edit.editedAt));
  const newest = Math.max(...before.map(({ editedAt }) => Date.parse(editedAt)));
  const last = before.filter(({ editedAt }) => Date.parse(editedAt) === newest);
  // As what it was created is put into the history when a comment is edited for the first time.
  const isSettled = (edit: Edit) => edit.editedAt === createdAt || isBefore(edit.updatedAt);
  const isKnown = last.length > 0 && last.every((it) => it.deletedAt === null && isSettled(it));
  return isKnown ? { type: "edits", ids: last.map(({ id }) => id) } : { type: "unknown" };
}

/** Of several edits in one second nobody knows the last one, so they must agree. */
function together(texts: readonly (string | undefined)[]): SeenText {
  const [text, ...others] = texts;
  return text !== undefined && others.every((other) => other === text)
    ? { type: "text", text }
    : { type: "unknown" };
}

/** A comment has up to 65,536 characters. */
const editsAtOnce = 50;

/** By id. What GitHub refuses to tell is missing. */
async function textsOfEdits(
  client: Pick<GitHubClient, "graphql">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const query = `query ($ids: [ID!]!) {
    nodes(ids: $ids) { ... on UserContentEdit { id deletedAt diff } }
  }`;
  const texts = new Map<string, string>();
  for (let start = 0; start < ids.length; start += editsAtOnce) {
    const asked = { ids: ids.slice(start, start + editsAtOnce) };
    const answer = await client.graphql<{ readonly nodes: readonly FoundText[] }>(query, asked);
    for (const node of answer.nodes) {
      if (typeof node?.diff === "string" && node.deletedAt === null) texts.set(node.id, node.diff);
    }
  }
  return texts;
}

type FoundText = {
  readonly id: string;
  readonly deletedAt: string | null;
  readonly diff: string | null;
} | null;
