import { expect, test } from "vitest";
import { newestAtGitHub } from "../../../../src/io/github/branch.ts";
import { createClient } from "../../../../src/io/github/client.ts";
import { catchProblems } from "../../../../src/model/problems/errors.ts";
import type { FileTree } from "../../../../src/ports/git.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";
import { GitFixture } from "../../../support/git/git-fixture.ts";

const github = useFakeGitHub();

const list = ".valuestream/deployments.yaml";

/** Creates a branch at GitHub with two lists that the clone doesn't have. */
function branch() {
  const git = new GitFixture();
  git.link("linked", "a");
  const commit = git.commit({
    [list]: "deployments: []\n",
    [`a/${list}`]: "deployments: [] # ä\n",
    "README.md": "",
  });
  github().state.branches.set("release/2", [commit]);
  github().state.repository = git.directory;
  return commit;
}

async function newest(name = "release/2") {
  const client = createClient({ token: "t", apiUrl: github().apiUrl, warn: () => {} });
  return newestAtGitHub(client, { owner: "acme", repo: "shop" }, name);
}

async function read(path: string): Promise<string | undefined> {
  const tree = await newestTree();
  const text = await catchProblems(() => tree.read(path));
  return text.ok ? text.value : text.problems[0]?.what;
}

async function newestTree(): Promise<FileTree> {
  const listing = await newest();
  if (listing.type === "unknown") throw new Error(listing.why);
  return listing.tree;
}

test("the files of the newest commit are read from GitHub if the clone lacks them", async () => {
  const commit = branch();
  expect(await newest()).toMatchObject({ type: "known", commit });
  expect(await (await newestTree()).list(["deployments.yaml"])).toEqual([list, `a/${list}`]);
  expect(await read(list)).toBe("deployments: []\n");
  expect(await read(`a/${list}`)).toBe("deployments: [] # ä\n");
  expect(await read("none.yaml")).toBeUndefined();
  expect(await read("a")).toBeUndefined();
});

test("an unreadable file isn't treated as missing", async () => {
  branch();
  expect(await read(`linked/${list}`)).toContain("is a link, or behind a link");
  github().failNext(404, 1, { part: "/git/trees/" });
  expect(await read(list)).toContain("doesn't exist, or the token isn't allowed to read it");
  github().failNext(401, 1, { part: "/git/blobs/" });
  expect(await read(list)).toContain("the token is invalid");
  github().state.truncatesTrees = true;
  expect(await read(list)).toContain("doesn't list all files");
});

test.each([
  [404, "Not Found", "doesn't exist, or the token isn't allowed to read it"],
  [403, "Resource not accessible by integration", "contents: read"],
])("GitHub answers %i: %s", async (status, message, expected) => {
  github().failNext(status, 1, { message });
  const listing = await newest();
  expect(listing.type === "unknown" && `${listing.why} ${listing.fix}`).toContain(expected);
});
