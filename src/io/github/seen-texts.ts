import type { TextAtMerge } from "../../ports/github.ts";
import type { GitHubClient } from "./client.ts";

/** The history of a comment. All times are GitHub's. */
export interface CommentHistory {
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Null if the comment was never edited. */
  readonly lastEditedAt: string | null;
  readonly userContentEdits: {
    readonly pageInfo: { readonly hasNextPage: boolean };
    readonly nodes: readonly (Edit | null)[] | null;
  } | null;
}

export interface Edit {
  readonly id: string;
  readonly editedAt: string;
  /** The time at which GitHub last changed this entry of the history. */
  readonly updatedAt: string;
  /** Set if a user deleted the text of this edit. The edit itself stays in the history. */
  readonly deletedAt: string | null;
}

/** A comment, and the time until which users saw its text. Undefined if they still see it. */
interface CommentAtTime<T extends CommentHistory> {
  readonly comment: T;
  readonly until: string | undefined;
}

/**
 * Returns the text of each comment before a time.
 * If a comment wasn't edited since, its current text is the result. Otherwise, qvs asks GitHub for
 * the text of the last edit before that time. Nothing replaces a missing answer.
 */
export async function readSeenTexts<T extends CommentHistory>(
  client: Pick<GitHubClient, "graphql">,
  comments: readonly CommentAtTime<T>[],
): Promise<ReadonlyMap<T, TextAtMerge>> {
  const found = comments.map(({ comment, until }) => ({
    comment,
    last: findLastText(comment, until),
  }));
  const ids = found.flatMap(({ last }) => (last.type === "edits" ? last.ids : []));
  const texts = await readEditTexts(client, ids);
  return new Map(
    found.map(({ comment, last }) => [
      comment,
      last.type === "edits" ? commonText(last.ids.map((id) => texts.get(id))) : last,
    ]),
  );
}

type LastText = TextAtMerge | { readonly type: "edits"; readonly ids: readonly string[] };

/**
 * Returns the text or the last edits before a time. GitHub's times have a resolution of one second,
 * so an edit in the second of the merge might be later than the merge.
 */
function findLastText(comment: CommentHistory, until: string | undefined): LastText {
  const { body, createdAt, updatedAt, lastEditedAt, userContentEdits } = comment;
  if (until === undefined) return { type: "text", text: body };
  const isEarlier = (time: string) => Date.parse(time) < Date.parse(until);
  if (!isEarlier(createdAt)) return { type: "later" };
  const nodes = userContentEdits?.nodes ?? [];
  const edits = nodes.filter((edit) => edit !== null);
  const times = [updatedAt, lastEditedAt ?? updatedAt, ...edits.map(({ editedAt }) => editedAt)];
  if (times.every(isEarlier)) return { type: "text", text: body };
  if (edits.length < nodes.length || userContentEdits?.pageInfo.hasNextPage === true)
    return { type: "unknown" };
  const before = edits.filter((edit) => isEarlier(edit.editedAt));
  const newest = Math.max(...before.map(({ editedAt }) => Date.parse(editedAt)));
  const last = before.filter(({ editedAt }) => Date.parse(editedAt) === newest);
  // GitHub adds the original text to the history only when a user first edits the comment.
  const isSettled = (edit: Edit) => edit.editedAt === createdAt || isEarlier(edit.updatedAt);
  const isKnown = last.length > 0 && last.every((it) => it.deletedAt === null && isSettled(it));
  return isKnown ? { type: "edits", ids: last.map(({ id }) => id) } : { type: "unknown" };
}

/**
 * Returns the common text of edits in one second. Their order is unknown, so their texts must be
 * equal.
 */
function commonText(texts: readonly (string | undefined)[]): TextAtMerge {
  const [text, ...others] = texts;
  return text !== undefined && others.every((other) => other === text)
    ? { type: "text", text }
    : { type: "unknown" };
}

/** The number of edits per request. A comment has up to 65,536 characters. */
const editsAtOnce = 50;

/** Returns the texts of edits by id. It omits a text that GitHub doesn't return. */
async function readEditTexts(
  client: Pick<GitHubClient, "graphql">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const query = `query ($ids: [ID!]!) {
    nodes(ids: $ids) { ... on UserContentEdit { id deletedAt diff } }
  }`;
  const texts = new Map<string, string>();
  for (let start = 0; start < ids.length; start += editsAtOnce) {
    const variables = { ids: ids.slice(start, start + editsAtOnce) };
    const answer = await client.graphql<{ readonly nodes: readonly FoundText[] }>(query, variables);
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
