import { expect, test } from "vitest";
import type { CommitRelation } from "../../../src/ports/git.ts";
import type { World } from "../../../src/ports/world.ts";
import { listDeployments } from "../../../src/sources/list-deployments.ts";
import { removedByPush } from "../../../src/sources/removed-by-push.ts";

type Lists = Readonly<Record<string, string | undefined>>;

/**
 * Creates a world with lists by commit; HEAD is the pushed commit. An undefined list is a missing
 * file. The directory of another list follows a colon.
 */
function worldOf(lists: Lists, relation: CommitRelation = "older"): World {
  const treeAt = (commit: string) => ({
    read: async (path: string) => lists[keyOf(commit, path)],
    list: async () =>
      Object.keys(lists)
        .filter((key) => key.split(":")[0] === commit)
        .map((key) => pathOf(key.split(":")[1])),
  });
  const repository = {
    resolve: async (commit: string) => (commit in lists ? commit : undefined),
    relation: async () => relation,
  };
  const world = {
    repository,
    commitTree: treeAt,
    source: { tree: treeAt("HEAD") },
    repositoryName: "shop",
  };
  return world as unknown as World;
}

const file = ".valuestream/deployments.yaml";

function pathOf(folder: string | undefined): string {
  return folder === undefined ? file : `${folder}/${file}`;
}

function keyOf(commit: string, path: string): string {
  return path === file ? commit : `${commit}:${path.replace(`/${file}`, "")}`;
}

async function removedFrom(lists: Lists, relation?: CommitRelation): Promise<string> {
  const world = worldOf(lists, relation);
  const listed = await listDeployments(world.source.tree, "shop");
  const { removed, moved } = await removedByPush(world, listed.ok ? listed.value : [], {
    before: "before",
    adjusted: (deployment) => deployment,
  });
  const lines = removed.map(({ deployment: { name }, keptBecause }) => {
    return `${name}: ${keptBecause === undefined ? "deletes" : keptBecause.why}`;
  });
  return [...lines, ...moved.map(({ what }) => what)].join("\n");
}

const entry = (name: string, more = "") => `  - {name: ${name}, config: qvs.yaml${more}}\n`;
const list = (...entries: readonly string[]) => `deployments:\n${entries.join("")}`;
const deletes = "on-removed: delete\n";
const uncertain =
  "the branch was rewritten or this clone lacks its history, so qvs can't tell whether the removal was intended";

const cases: readonly (readonly [string, Lists, CommitRelation, string])[] = [
  [
    "nothing requests the deletion",
    { before: list(entry("a"), entry("b")), HEAD: list(entry("a")) },
    "older",
    "",
  ],
  [
    "the entry requests it",
    { before: list(entry("a"), entry("b", ", on-removed: delete")), HEAD: list(entry("a")) },
    "older",
    "b: deletes",
  ],
  [
    "the file requests it for all, and an entry doesn't",
    {
      before: deletes + list(entry("a"), entry("b", ", on-removed: keep"), entry("c")),
      HEAD: "deployments: []",
    },
    "older",
    "a: deletes\nc: deletes",
  ],
  [
    "the push itself switches to delete",
    { before: list(entry("a"), entry("b")), HEAD: deletes + list(entry("a")) },
    "older",
    "",
  ],
  [
    "the push itself switches to keep, which is too late",
    { before: deletes + list(entry("a"), entry("b")), HEAD: list(entry("a")) },
    "older",
    "b: deletes",
  ],
  [
    "the push moves it",
    { before: deletes + list(entry("a")), HEAD: deletes + list(entry("a", ", namespace: b")) },
    "older",
    "",
  ],
  [
    "a forced push",
    { before: deletes + list(entry("a")), HEAD: "deployments: []" },
    "diverged",
    `a: ${uncertain}`,
  ],
  [
    "a push backwards",
    { before: deletes + list(entry("a")), HEAD: "deployments: []" },
    "newer",
    `a: ${uncertain}`,
  ],
  [
    "a shallow clone",
    { before: deletes + list(entry("a")), HEAD: "deployments: []" },
    "unknown",
    `a: ${uncertain}`,
  ],
  ["the previous commit is not in the clone", { HEAD: "deployments: []" }, "older", ""],
  [
    "the whole file is removed",
    { before: deletes + list(entry("a")), HEAD: undefined },
    "older",
    "a: the whole list of deployments was removed",
  ],
  [
    "the list of another directory contains one of them",
    {
      before: deletes + list(entry("a"), entry("b")),
      HEAD: "deployments: []",
      "HEAD:shop": list(entry("c"), entry("b")),
    },
    "older",
    'a: deletes\nDeployment "b" is now listed in shop/.valuestream/deployments.yaml',
  ],
  [
    "the list of another directory contains one of that name with another namespace",
    {
      before: deletes + list(entry("a"), entry("b")),
      HEAD: "deployments: []",
      "HEAD:shop": list(entry("a", ", namespace: other"), entry("b", ", context: other")),
    },
    "older",
    "a: deletes\nb: deletes",
  ],
  [
    "the list of another directory can't be read",
    { before: deletes + list(entry("a")), HEAD: "deployments: []", "HEAD:shop": "deployments: 1" },
    "older",
    "a: this commit has errors in shop/.valuestream/deployments.yaml, which might list it",
  ],
  [
    "the previous list has errors",
    { before: "deployments: 1", HEAD: "deployments: []" },
    "older",
    "",
  ],
];

test.each(cases)("%s", async (_, lists, relation, expected) => {
  expect(await removedFrom(lists, relation)).toBe(expected);
});

test("the command can be pasted into a shell with any context name", async () => {
  const before = deletes + list(entry("a", ', namespace: shop, context: "it\'s; rm -rf /"'));
  const { removed } = await removedByPush(worldOf({ before, HEAD: undefined }), [], {
    before: "before",
    adjusted: (deployment) => deployment,
  });
  expect(removed[0]?.keptBecause?.fix).toBe(
    "Run this to list its objects and delete them: qvs delete -d a -n shop --context 'it'\\''s; rm -rf /'",
  );
});
