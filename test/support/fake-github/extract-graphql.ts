import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, print, visit } from "graphql";

/**
 * The types and fields that qvs uses in GitHub's GraphQL schema.
 * This script extracts them, so that the fake GitHub rejects the same queries as GitHub. Install
 * the schema elsewhere for this:
 *
 *     npm install --prefix /tmp/graphql @octokit/graphql-schema
 *     node test/support/fake-github/extract-graphql.ts \
 *       /tmp/graphql/node_modules/@octokit/graphql-schema
 */
const fields: Readonly<Record<string, readonly string[]>> = {
  Query: ["repository", "viewer", "nodes"],
  Node: ["id"],
  User: ["login"],
  Bot: ["login"],
  Actor: ["login"],
  Repository: ["object", "pullRequest", "mergeQueue"],
  GitObject: ["oid"],
  Commit: ["oid", "associatedPullRequests"],
  PullRequestConnection: ["nodes", "pageInfo"],
  PullRequest: [
    ...[
      "number",
      "headRefOid",
      "baseRefName",
      "merged",
      "mergedAt",
      "isCrossRepository",
      "comments",
    ],
    "timelineItems",
  ],
  IssueCommentConnection: ["nodes", "pageInfo"],
  PullRequestTimelineItemsConnection: ["nodes"],
  AddedToMergeQueueEvent: ["id", "createdAt"],
  IssueComment: [
    ...[
      "body",
      "author",
      "viewerDidAuthor",
      "createdAt",
      "updatedAt",
      "lastEditedAt",
      "userContentEdits",
    ],
  ],
  UserContentEditConnection: ["nodes", "pageInfo"],
  UserContentEdit: ["id", "editor", "editedAt", "updatedAt", "deletedAt", "diff"],
  PageInfo: ["hasNextPage", "endCursor"],
  MergeQueue: ["entries"],
  MergeQueueEntryConnection: ["nodes"],
  MergeQueueEntry: ["position", "pullRequest"],
};
const scalars = ["DateTime", "GitObjectID", "URI"];
const inputs = ["IssueCommentOrder", "IssueCommentOrderField", "OrderDirection"];
const inputsOfPulls = ["PullRequestOrder", "PullRequestOrderField"];
const timeline = ["PullRequestTimelineItems", "PullRequestTimelineItemsItemType"];
const kept = new Set([
  ...[...Object.keys(fields), ...scalars, ...inputs, ...inputsOfPulls, ...timeline],
]);
const events = ["ADDED_TO_MERGE_QUEUE_EVENT"];

const [packageFolder = ""] = process.argv.slice(2);
const schema = parse(readFileSync(join(packageFolder, "schema.graphql"), "utf8"));
const extracted = visit(schema, {
  enter(node) {
    if ("description" in node && node.description !== undefined)
      return { ...node, description: undefined };
    return undefined;
  },
  Document: {
    leave: (node) => ({
      ...node,
      definitions: node.definitions.filter(
        (definition) => "name" in definition && kept.has(definition.name?.value ?? ""),
      ),
    }),
  },
  ObjectTypeDefinition: { leave: keepFields },
  InterfaceTypeDefinition: { leave: keepFields },
  UnionTypeDefinition: {
    leave: (node) => ({ ...node, types: node.types?.filter(({ name }) => kept.has(name.value)) }),
  },
  EnumTypeDefinition: {
    leave: (node) =>
      node.name.value === "PullRequestTimelineItemsItemType"
        ? { ...node, values: node.values?.filter(({ name }) => events.includes(name.value)) }
        : node,
  },
  Directive: () => null,
});
writeFileSync(join(import.meta.dirname, "schema.graphql"), `${print(extracted)}\n`);

function keepFields<
  T extends {
    readonly name: { readonly value: string };
    readonly fields?: readonly { readonly name: { readonly value: string } }[];
    readonly interfaces?: readonly { readonly name: { readonly value: string } }[];
  },
>(node: T): T {
  const wanted = fields[node.name.value] ?? [];
  return {
    ...node,
    fields: node.fields?.filter(({ name }) => wanted.includes(name.value)),
    interfaces: node.interfaces?.filter(
      ({ name: { value } }) => kept.has(value) && (value !== "Node" || wanted.includes("id")),
    ),
  };
}
