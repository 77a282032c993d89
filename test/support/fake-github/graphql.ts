import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, graphqlSync } from "graphql";
import type { ApiRequest } from "./contract.ts";
import type { Answer, FakeServer } from "./routes.ts";
import type { StoredComment, StoredPull } from "./state.ts";

const schema = buildSchema(readFileSync(join(import.meta.dirname, "schema.graphql"), "utf8"));

/**
 * Answers a query with GitHub's schema, limited to the fields that qvs uses. Other fields are
 * errors.
 */
export function answerGraphql(
  server: FakeServer,
  { body }: ApiRequest,
): Answer & { readonly wrong?: string | undefined } {
  const { query, variables } = body as { query: string; variables?: Record<string, unknown> };
  const result = graphqlSync({
    schema,
    source: query,
    variableValues: variables,
    rootValue: rootOf(server),
  });
  const wrong = result.errors?.map(({ message }) => message).join("; ");
  return { status: 200, body: JSON.parse(JSON.stringify(result)), wrong };
}

function rootOf(server: FakeServer) {
  const { state, login } = server;
  return {
    viewer: { login },
    nodes: ({ ids }: { ids: readonly string[] }) => {
      const edits = state.comments.flatMap(editsOf);
      return ids.map((id) => edits.find((edit) => edit.id === id) ?? null);
    },
    repository: () => ({
      object: ({ oid }: { oid: string }) => ({
        __typename: "Commit",
        oid,
        associatedPullRequests: () => ({
          nodes: state.pullsOf(oid).map((pull) => pullOf(server, pull)),
        }),
      }),
      pullRequest: ({ number }: { number: number }) => {
        const found = state.pulls.find((pull) => pull.number === number);
        return found === undefined ? null : pullOf(server, found);
      },
      mergeQueue: () => ({
        entries: () => ({
          nodes: state.queue.map((number, position) => ({ position, pullRequest: { number } })),
        }),
      }),
    }),
  };
}

function pullOf({ state, login }: FakeServer, pull: StoredPull) {
  const { number, merged = true, head = "0".repeat(40), base = "main", fork = false } = pull;
  const { mergedAt = null, queuedAt } = pull;
  const queued = queuedAt && { __typename: "AddedToMergeQueueEvent", createdAt: queuedAt };
  return {
    number,
    headRefOid: head,
    baseRefName: base,
    merged,
    mergedAt,
    timelineItems: { nodes: queued === undefined ? [] : [queued] },
    isCrossRepository: fork,
    comments: ({ first = 30, after }: { first?: number; after?: string }) => {
      const all = state.comments.filter(({ issue }) => issue === number);
      const start = after === undefined ? 0 : Number(after);
      const pageInfo = {
        hasNextPage: start + first < all.length,
        endCursor: String(start + first),
      };
      return {
        pageInfo,
        nodes: all.slice(start, start + first).map((comment) => commentOf(comment, login)),
      };
    },
  };
}

function commentOf(comment: StoredComment, login: string) {
  const { body, author, createdAt, editors, versions } = comment;
  const edits = editsOf(comment);
  return {
    body,
    viewerDidAuthor: author === login,
    author: actor(author),
    createdAt,
    updatedAt: comment.updatedAt ?? versions.at(-1)?.at ?? createdAt,
    lastEditedAt: editors.length === 0 ? null : versions.at(-1)?.at,
    userContentEdits: ({ first }: { first: number }) => ({
      pageInfo: { hasNextPage: edits.length > first },
      nodes: edits.slice(0, first),
    }),
  };
}

/** Returns the edits, newest first. The creation is the first version of an edited comment. */
function editsOf({ id, author, editors, versions }: StoredComment) {
  const edits = versions.map(({ body, at, updatedAt, deletedAt = null }, index) => ({
    __typename: "UserContentEdit",
    id: `UCE_${id}_${index}`,
    editedAt: at,
    updatedAt: updatedAt ?? versions[Math.max(index, 1)]?.at ?? at,
    deletedAt,
    diff: deletedAt === null ? body : null,
    editor: actor(editors[index - 1] ?? author),
  }));
  return editors.length === 0 ? [] : edits.toReversed();
}

/** Returns an actor. GraphQL omits the suffix that REST adds to the login of a bot. */
function actor(login: string) {
  const isBot = login.endsWith("[bot]");
  return { __typename: isBot ? "Bot" : "User", login: login.replace(/\[bot\]$/, "") };
}
