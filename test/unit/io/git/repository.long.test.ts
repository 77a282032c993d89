import { chmodSync, existsSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitTree } from "../../../../src/io/git/commit-tree.ts";
import { type ObjectRepository, openRepository } from "../../../../src/io/git/repository.ts";
import { environment, GitFixture, temporaryDirectory } from "../../../support/git/git-fixture.ts";

async function open(fixture: GitFixture): Promise<ObjectRepository> {
  const repository = await openRepository(fixture.directory, environment);
  if (repository === undefined) throw new Error("no repository");
  return repository;
}

test("a repository is found from a directory inside it, and not from outside", async () => {
  const fixture = new GitFixture();
  fixture.commit({ "a/b/c.txt": "" });
  const repository = await openRepository(join(fixture.directory, "a/b"), environment);
  expect(repository?.root).toBe(fixture.directory);
  expect(await openRepository(temporaryDirectory(), environment)).toBeUndefined();
});

test("revisions are tags, branches and commits, and nothing else", async () => {
  const fixture = new GitFixture();
  const commit = fixture.commit({ a: "1" });
  fixture.git("tag", "--annotate", "--message=x", "v1");
  fixture.git("branch", "release");
  const repository = await open(fixture);
  const none = ["v2", "", "--all", "-h", "main:a", "HEAD..main", "a\nb", "0".repeat(40)];
  const found = ["HEAD", "main", "v1", "release", commit, commit.slice(0, 8)];
  expect(await Promise.all(found.map(repository.resolve))).toEqual(found.map(() => commit));
  expect(await Promise.all(none.map(repository.resolve))).toEqual(none.map(() => undefined));
});

test("the origin's branch is resolved, and a tag can't replace it", async () => {
  const fixture = new GitFixture();
  const commit = fixture.commit();
  const repository = await open(fixture);
  for (const name of ["refs/tags/refs/remotes/origin/main", "refs/tags/origin/main"])
    fixture.git("update-ref", name, commit);
  for (const branch of ["main", "", "--all", "main/../main"])
    expect(await repository.tipAtOrigin(branch)).toBeUndefined();
  fixture.git("update-ref", "refs/remotes/origin/main", commit);
  expect(await repository.tipAtOrigin("main")).toBe(commit);
});

test("the merge base of two branches is found, and unrelated histories have none", async () => {
  const fixture = new GitFixture();
  const parted = fixture.commit({ a: "1" });
  fixture.git("checkout", "--quiet", "-b", "feature");
  const feature = fixture.commit({ b: "1" });
  fixture.git("checkout", "--quiet", "main");
  const main = fixture.commit({ a: "2" });
  fixture.git("checkout", "--quiet", "--orphan", "pages");
  const apart = fixture.commit();
  const repository = await open(fixture);
  expect(await repository.mergeBase(main, feature)).toBe(parted);
  expect(await repository.mergeBase(main, apart)).toBeUndefined();
  expect(await repository.mergeBase("0".repeat(40), main)).toBeUndefined();
});

test("changed paths include added, changed, deleted and moved files with any characters", async () => {
  const fixture = new GitFixture();
  const base = fixture.commit({ same: "1", "changed é": "1", gone: "12345", "old/name": "abc" });
  fixture.git("mv", "old/name", "new-name");
  fixture.git("rm", "--quiet", "gone");
  const head = fixture.commit({ "changed é": "2", 'added\n"x"': "1" });
  const repository = await open(fixture);
  const paths = await repository.changedPaths(base, head);
  expect([...paths].sort()).toEqual(['added\n"x"', "changed é", "gone", "new-name", "old/name"]);
  await expect(repository.changedPaths("0".repeat(40), head)).rejects.toThrow(
    /isn't in this clone.*\n.*\n.*fetch-depth: 0/,
  );
});

test("changed paths of the working tree include edited, staged, deleted and new files", async () => {
  const fixture = new GitFixture();
  const names = ["same", "touched", "executable", "edited", "staged", "gone", "restored", "link"];
  const older = fixture.commit(Object.fromEntries(names.map((name) => [name, "1"])));
  const base = fixture.commit({ ".gitignore": "*.log\n", restored: "2" });
  expect(await (await open(fixture)).changedPaths(base, undefined)).toEqual([]);
  utimesSync(join(fixture.directory, "touched"), 1, 1);
  chmodSync(join(fixture.directory, "executable"), 0o755);
  for (const name of ["edited", "staged", "new/é\n", "-n", "new.log"]) fixture.write(name, "2");
  fixture.git("add", "staged");
  for (const name of ["gone", "link"]) rmSync(join(fixture.directory, name));
  fixture.link("link", "same");
  const repository = await open(fixture);
  const changed = ["-n", "edited", "gone", "link", "new/é\n", "staged"];
  expect([...(await repository.changedPaths(base, undefined))].sort()).toEqual(changed);
  // The file has its old content again, so it doesn't differ from the older commit.
  fixture.write("restored", "1");
  const since = [...(await repository.changedPaths(older, undefined))].sort();
  expect(since).toEqual([...changed, ".gitignore"].sort());
  await expect(repository.changedPaths("0".repeat(40), undefined)).rejects.toThrow(
    /isn't in this clone/,
  );
});

test("a tree is read as committed, below a directory and with an extension", async () => {
  const fixture = new GitFixture();
  const commit = fixture.commit({
    "m/a.cue": "a: 1\n",
    "m/deep/b.cue": "é",
    "m/c.txt": "",
    "n/d.cue": "",
    "m2/e.cue": "",
    "m/with space.cue": "s",
    "m/empty.cue": "",
  });
  fixture.write("m/a.cue", "uncommitted");
  const repository = await open(fixture);
  const files = await repository.readTree(commit, "m", [".cue"]);
  expect(Object.fromEntries(files)).toEqual({
    "m/a.cue": "a: 1\n",
    "m/deep/b.cue": "é",
    "m/empty.cue": "",
    "m/with space.cue": "s",
  });
  expect((await repository.readTree(commit, "", [".cue"])).size).toBe(6);
  expect((await repository.readTree(commit, "none", [".cue"])).size).toBe(0);
});

test("names that look like options or patterns are only names", async () => {
  const fixture = new GitFixture();
  const commit = fixture.commit({ "-x/--help.cue": "1", "*/a.cue": "2", ":(top)/b.cue": "3" });
  const repository = await open(fixture);
  for (const [folder, text] of [
    ["-x", "1"],
    ["*", "2"],
    [":(top)", "3"],
  ] as const) {
    expect([...(await repository.readTree(commit, folder, [".cue"])).values()]).toEqual([text]);
  }
});

test("links inside a commit are followed, and links to the outside are omitted or rejected", async () => {
  const fixture = new GitFixture();
  fixture.write("real/a.yaml", "a");
  fixture.link("link.yaml", "real/a.yaml");
  fixture.link("folder", "real");
  fixture.link("outside.yaml", "../secret.yaml");
  fixture.link("passwd.yaml", "/etc/passwd");
  fixture.link("nowhere.yaml", "none.yaml");
  fixture.link("circle.yaml", "circle.yaml");
  const commit = fixture.commit();
  const repository = await open(fixture);
  const files = await repository.readTree(commit, "", [".yaml"]);
  expect(Object.fromEntries(files)).toEqual({ "link.yaml": "a", "real/a.yaml": "a" });
  const tree = commitTree(repository, commit);
  expect(await tree.read("folder/a.yaml")).toBe("a");
  await expect(tree.read("nowhere.yaml")).rejects.toThrow("target: none.yaml");
  await expect(tree.read("circle.yaml")).rejects.toThrow("ELOOP");
  await expect(tree.read("outside.yaml")).rejects.toThrow('The link "outside.yaml" leads outside');
  await expect(tree.read("passwd.yaml")).rejects.toThrow('The link "passwd.yaml" leads outside');
});

test("a submodule isn't read", async () => {
  const inner = new GitFixture();
  inner.commit({ "a.cue": "" });
  const fixture = new GitFixture();
  fixture.git(
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    inner.directory,
    "sub",
  );
  const commit = fixture.commit({ "b.cue": "" });
  const files = await (await open(fixture)).readTree(commit, "", [".cue"]);
  expect([...files.keys()]).toEqual(["b.cue"]);
});

test("no hook, filter or monitor of the repository runs", async () => {
  const fixture = new GitFixture();
  const proof = join(temporaryDirectory(), "proof");
  const script = `#!/bin/sh\necho ran >> ${proof}\ncat\n`;
  const hooks = [
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "pre-auto-gc",
    "run.sh",
  ];
  for (const hook of hooks) {
    fixture.write(`.git/hooks/${hook}`, script);
    chmodSync(join(fixture.directory, ".git/hooks", hook), 0o755);
  }
  const run = join(fixture.directory, ".git/hooks/run.sh");
  const base = fixture.commit({ "a.cue": "1", ".gitattributes": "*.cue filter=evil diff=evil\n" });
  const head = fixture.commit({ "a.cue": "2" });
  for (const key of [
    "filter.evil.smudge",
    "filter.evil.clean",
    "diff.evil.textconv",
    "diff.evil.command",
    "core.fsmonitor",
    "diff.external",
  ]) {
    fixture.git("config", key, run);
  }
  // The commit itself has run some hooks.
  rmSync(proof, { force: true });
  const repository = await open(fixture);
  await repository.resolve("main");
  expect(await repository.changedPaths(base, head)).toEqual(["a.cue"]);
  expect((await repository.readTree(head, "", [".cue"])).get("a.cue")).toBe("2");
  expect(existsSync(proof)).toBe(false);
});

test("an enclosing git command doesn't redirect to another repository", async () => {
  const fixture = new GitFixture();
  const other = new GitFixture();
  const commit = fixture.commit({ a: "1" });
  const misled = {
    ...environment,
    GIT_DIR: join(other.directory, ".git"),
    GIT_WORK_TREE: other.directory,
  };
  const repository = await openRepository(fixture.directory, misled);
  expect(repository?.root).toBe(fixture.directory);
  expect(await repository?.resolve("HEAD")).toBe(commit);
});

test("the remote is identified by owner and name, without credentials", async () => {
  const fixture = new GitFixture();
  const readOrigin = async () => (await open(fixture)).origin();
  expect(await readOrigin()).toBeUndefined();
  fixture.git("remote", "add", "origin", "https://me:secret@git.acme.example/acme/shop.git");
  expect(await readOrigin()).toBe("acme/shop");
});
