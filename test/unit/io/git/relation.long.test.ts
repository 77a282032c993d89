import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { openRepository } from "../../../../src/io/git/repository.ts";
import { environment, GitFixture, temporaryDirectory } from "../../../support/git/git-fixture.ts";

async function relation(directory: string, commit: string, other: string) {
  const repository = await openRepository(directory, environment);
  return repository?.relation(commit, other);
}

/** Creates two consecutive commits, and a third one with the same parent as the second. */
function history() {
  const git = new GitFixture();
  const [first, second] = [git.commit({ a: "1" }), git.commit({ a: "2" })];
  git.git("checkout", "--quiet", "--detach", first);
  const sibling = git.commit({ a: "3" });
  return { git, first, second, sibling: sibling };
}

test("an ancestor is older, whatever its commit date", async () => {
  const { git, first, second, sibling } = history();
  const { directory } = git;
  expect(await relation(directory, first, first)).toBe("same");
  expect(await relation(directory, first, second)).toBe("older");
  expect(await relation(directory, second, first)).toBe("newer");
  expect(await relation(directory, second, sibling)).toBe("diverged");
});

test("qvs doesn't compare revisions that aren't commits of the clone", async () => {
  const { git, first } = history();
  for (const other of ["0123456789".repeat(4), "HEAD", "--help", ""]) {
    expect(await relation(git.directory, first, other)).toBe("unknown");
  }
});

test("histories of a shallow clone have an unknown relation", async () => {
  const { git, first, second, sibling } = history();
  const directory = temporaryDirectory();
  const run = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "protocol.file.allow=always", ...args], {
      cwd: directory,
      env: environment,
    });
  run("init", "--quiet");
  run("fetch", "--quiet", "--depth=1", `file://${git.directory}`, second, sibling);
  expect(await relation(directory, second, sibling)).toBe("unknown");
  expect(await relation(directory, first, second)).toBe("unknown");
});

test("new, changed and deleted files are uncommitted changes, ignored files aren't", async () => {
  const git = new GitFixture();
  git.commit({ a: "1", ".gitignore": "build\n" });
  const isChanged = async () =>
    (await openRepository(git.directory, environment))?.hasUncommittedChanges();
  git.write("build", "x");
  expect(await isChanged()).toBe(false);
  git.write("b", "new");
  expect(await isChanged()).toBe(true);
  git.commit();
  git.write("a", "2");
  expect(await isChanged()).toBe(true);
});
