import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSchema, graphqlSync } from "graphql";
import type { ApiRequest } from "./contract.ts";
import type { Answer, FakeServer } from "./routes.ts";
import type { StoredComment, StoredPull } from "./state.ts";

const schema = buildSchema(readFileSync(join(import.meta.dirname, "schema.graphql"), "utf8"));

/** Answers a query by GitHub's own schema, as far as we use it; what that does not have is an error. */
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

function pullOf(
  { state, login }: FakeServer,
  { number, merged = true, head = "0".repeat(40), base = "main", fork = false }: StoredPull,
) {
  return {
    number,
    headRefOid: head,
    baseRefName: base,
    merged,
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

function commentOf({ body, author, editors }: StoredComment, login: string) {
  return {
    body,
    viewerDidAuthor: author === login,
    author: actor(author),
    lastEditedAt: editors.length === 0 ? null : "2026-01-01T00:00:00Z",
    userContentEdits: ({ first }: { first: number }) => ({
      pageInfo: { hasNextPage: editors.length > first },
      nodes: editors.slice(0, first).map((login) => ({ editor: actor(login) })),
    }),
  };
}

/** GraphQL leaves out what REST writes behind the login of a bot. */
function actor(login: string) {
  const isBot = login.endsWith("[bot]");
  return { __typename: isBot ? "Bot" : "User", login: login.replace(/\[bot\]$/, "") };
}
