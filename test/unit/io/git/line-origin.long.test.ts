import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { lineOrigin } from "../../../../src/io/git/line-origin.ts";
import { openRepository } from "../../../../src/io/git/repository.ts";
import { environment, GitFixture, temporaryDirectory } from "../../../support/git/git-fixture.ts";

async function originOf(directory: string, commit: string, line: number, path = "a.yaml") {
  const repository = await openRepository(directory, environment);
  return repository?.lineOrigin(commit, path, line);
}

/** Merges a branch that changes line 2 into a history that changes the others. */
function merged() {
  const git = new GitFixture();
  const first = git.commit({ "a.yaml": "one\ntwo\nthree\n" });
  git.git("checkout", "--quiet", "-b", "feature");
  const change = git.commit({ "a.yaml": "one\ntwo changed\nthree\n" });
  git.git("checkout", "--quiet", "-");
  const other = git.commit({ b: "1" });
  const message = "Merge pull request #12 from acme/feature";
  git.git("merge", "--quiet", "--no-ff", "-m", message, "feature");
  const merge = git.git("rev-parse", "HEAD");
  const last = git.commit({ "a.yaml": "one\ntwo changed\nthree again\n" });
  return { git, first, change, other, merge, last };
}

test("a line has the commit that changed it, and the merge of that commit", async () => {
  const { git, first, change, merge, last } = merged();
  const { directory } = git;
  expect(await originOf(directory, last, 1)).toMatchObject({ commit: first, merge: undefined });
  expect(await originOf(directory, last, 2)).toMatchObject({
    commit: change,
    author: "A",
    subject: "x",
    time: expect.stringMatching(/^20\d\d-.*Z$/),
    isOldestInClone: false,
    merge: { commit: merge, subject: "Merge pull request #12 from acme/feature" },
  });
  expect(await originOf(directory, last, 3)).toMatchObject({ commit: last, merge: undefined });
  expect(await originOf(directory, change, 2)).toMatchObject({ commit: change, merge: undefined });
});

test("an older commit, a missing file and a missing line have their own answers", async () => {
  const { git, first, last } = merged();
  expect(await originOf(git.directory, first, 2)).toMatchObject({ commit: first });
  expect(await originOf(git.directory, last, 4)).toBeUndefined();
  expect(await originOf(git.directory, last, 1, "none.yaml")).toBeUndefined();
  expect(await originOf(git.directory, "HEAD", 1)).toBeUndefined();
  expect(await originOf(git.directory, "0123456789".repeat(4), 1)).toBeUndefined();
});

test("a shallow clone shows that the origin might be older", async () => {
  const { git, last } = merged();
  const directory = temporaryDirectory();
  const run = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "protocol.file.allow=always", ...args], {
      cwd: directory,
      env: environment,
    });
  run("init", "--quiet");
  run("fetch", "--quiet", "--depth=1", `file://${git.directory}`, last);
  expect(await originOf(directory, last, 1)).toMatchObject({ commit: last, isOldestInClone: true });
});

test("the working tree and settings of the repository don't change the answer", async () => {
  const { git, first, last } = merged();
  git.write("a.yaml", "zero\none\ntwo changed\nthree again\n");
  git.git("config", "blame.ignoreRevsFile", "ignored");
  git.write("ignored", `${last}\n`);
  git.git("config", "diff.evil.textconv", "touch ran; cat");
  git.write(".gitattributes", "*.yaml diff=evil\n");
  expect(await originOf(git.directory, last, 1)).toMatchObject({ commit: first });
  expect(await originOf(git.directory, last, 3)).toMatchObject({ commit: last });
  expect(git.git("status", "--porcelain")).not.toContain("ran");
});

test("a history that is too long to read names no merge", async () => {
  const { git, change, merge, last } = merged();
  const call = { directory: git.directory, environment };
  const mergeWith = async (most: number) =>
    (await lineOrigin(last, "a.yaml", 2, call, most))?.merge?.commit;
  expect(await mergeWith(100)).toBe(merge);
  expect(await mergeWith(2)).toBeUndefined();
  expect(await lineOrigin(last, "a.yaml", 2, call, 2)).toMatchObject({ commit: change });
});
