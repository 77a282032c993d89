import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changed } from "../../../../src/commands/changed.ts";
import { selectSeveral } from "../../../../src/commands/several/select-deployments.ts";
import type { GitFixture } from "../../../support/git/git-fixture.ts";
import { deploymentsFile, shopUnderGit, useWorlds } from "../../../support/shop/shop-world.ts";

const openShop = useWorlds("work tree");

const shop = { name: "shop", namespace: "shop" };
const docs = { name: "docs", namespace: "docs", params: ["../params.yaml", "../docs.yaml"] };
const overrides = { config: undefined, params: [], context: undefined, namespace: undefined };

async function selectChanged({ directory }: GitFixture, changedSince: string) {
  const world = await openShop(directory);
  const selection = { patterns: [], changedSince, overrides, inline: [], fromRecords: false };
  const { chosen, removed } = await selectSeveral(world, selection);
  return { chosen: chosen.map(({ name }) => name), removed: removed.map(({ name }) => name) };
}

function twoDeployments(): GitFixture {
  const git = shopUnderGit();
  git.commit({
    ...deploymentsFile(shop, docs),
    "docs.yaml": "replicas: 1\n",
    ".gitignore": "*.tmp\n",
  });
  return git;
}

const edits: Readonly<Record<string, (git: GitFixture) => unknown>> = {
  "an edited file": (git) => git.write("docs.yaml", "replicas: 2\n"),
  "a staged file": (git) => {
    git.write("docs.yaml", "replicas: 2\n");
    git.git("add", "docs.yaml");
  },
  "a deleted file": (git) => rmSync(join(git.directory, "docs.yaml")),
  "an edited entry": (git) => {
    const entries = deploymentsFile(shop, { ...docs, namespace: "other" });
    for (const [path, text] of Object.entries(entries)) git.write(path, text);
  },
  "an entry with a new file": (git) => {
    git.write("new.yaml", "replicas: 2\n");
    const entries = deploymentsFile(shop, { ...docs, params: ["../params.yaml", "../new.yaml"] });
    for (const [path, text] of Object.entries(entries)) git.write(path, text);
  },
};

for (const [name, edit] of Object.entries(edits)) {
  test(`${name} without a commit selects the deployment that reads it`, async () => {
    const git = twoDeployments();
    edit(git);
    expect(await selectChanged(git, "HEAD")).toEqual({ chosen: ["docs"], removed: [] });
  });
}

test("a file that replaces an untracked one selects its deployment", async () => {
  const git = twoDeployments();
  git.git("rm", "--quiet", "--cached", "docs.yaml");
  git.git("commit", "--quiet", "--message=x");
  expect(await selectChanged(git, "HEAD")).toEqual({ chosen: ["docs"], removed: [] });
  // The file on disk is the same as in the older commit.
  git.git("add", "docs.yaml");
  expect(await selectChanged(git, "HEAD~1")).toEqual({ chosen: [], removed: [] });
});

test("files that no deployment reads, and ignored files, select nothing", async () => {
  const git = twoDeployments();
  git.write("notes.md", "x");
  git.write("a.tmp", "x");
  expect(await selectChanged(git, "HEAD")).toEqual({ chosen: [], removed: [] });
});

test("an entry that is deleted without a commit is a removed deployment", async () => {
  const git = twoDeployments();
  const kept = deploymentsFile(shop, { ...docs, "on-removed": "delete" });
  git.commit(kept);
  for (const [path, text] of Object.entries(deploymentsFile(shop))) git.write(path, text);
  expect(await selectChanged(git, "HEAD")).toEqual({ chosen: [], removed: ["docs"] });
});

test("a push contains no uncommitted changes", async () => {
  const git = twoDeployments();
  git.write("docs.yaml", "replicas: 2\n");
  const world = await openShop(git.directory);
  const options = { base: "HEAD", inline: [], adjusted: <T>(each: T) => each, readsCluster: false };
  const names = async (compares: "HEAD" | "working tree") =>
    (await changed(world, { ...options, compares })).levels.flat().map(({ name }) => name);
  expect(await names("HEAD")).toEqual([]);
  expect(await names("working tree")).toEqual(["docs"]);
});
