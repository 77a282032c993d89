import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRootFiles } from "../../../../src/io/cue/root-files.ts";
import { commitTree, headCommit } from "../../../../src/io/git/commit-tree.ts";
import { type ObjectRepository, openRepository } from "../../../../src/io/git/repository.ts";
import { openWorkTree } from "../../../../src/io/git/work-tree.ts";
import type { SourceTree } from "../../../../src/ports/git.ts";
import { environment, GitFixture } from "../../../support/git/git-fixture.ts";

/** Creates the same files in the working tree and in a commit. */
async function both(fill: (fixture: GitFixture) => void): Promise<readonly SourceTree[]> {
  const fixture = new GitFixture();
  fill(fixture);
  const commit = fixture.commit();
  const repository = await openRepository(fixture.directory, environment);
  if (repository === undefined) throw new Error("no repository");
  return [openWorkTree(fixture.directory), commitTree(repository, commit)];
}

test("files are read and listed in the same way on disk and in a commit", async () => {
  const trees = await both((fixture) => {
    fixture.write("a/.valuestream/qvs.yaml", "x: é\n");
    fixture.write("b.yaml", "");
    fixture.write("a/c.cue", "");
    fixture.write(".github/d.yaml", "");
    fixture.link("e.yaml", "a/.valuestream/qvs.yaml");
  });
  for (const tree of trees) {
    expect(await tree.list([".yaml"])).toEqual([
      ".github/d.yaml",
      "a/.valuestream/qvs.yaml",
      "b.yaml",
      "e.yaml",
    ]);
    expect(await tree.read("a/.valuestream/qvs.yaml")).toBe("x: é\n");
    expect(await tree.read("./a//.valuestream/./qvs.yaml")).toBe("x: é\n");
    expect(await tree.read("e.yaml")).toBe("x: é\n");
    for (const path of ["none.yaml", "b.yaml/x", "a", ""]) {
      expect(await tree.read(path), path).toBeUndefined();
    }
  }
});

test.each([
  ["a path to the outside", "../x.yaml"],
  ["a path to the outside from within", "a/../../x.yaml"],
  ["an absolute path", "/etc/passwd"],
  ["a path with a null character", "a\0b"],
  ["a link to outside", "outside.yaml"],
  ["a link to an absolute path", "passwd.yaml"],
  ["a file behind a directory link to the outside", "etc/passwd"],
])("%s is rejected on disk and in a commit", async (_, path) => {
  const trees = await both((fixture) => {
    fixture.write("a/b", "");
    fixture.link("outside.yaml", "../../../../../../../../etc/passwd");
    fixture.link("passwd.yaml", "/etc/passwd");
    fixture.link("etc", "/etc");
  });
  for (const tree of trees)
    await expect(tree.read(path)).rejects.toThrow("leads outside the repository");
});

test("a directory is a source of CUE files", async () => {
  const [disk, commit] = await both((fixture) => {
    fixture.write("adapters/cue.mod/module.cue", 'module: "acme.example/local"');
    fixture.write("adapters/web/web.cue", "a: 1");
    fixture.write("adapters/readme.md", "");
  });
  expect(await disk?.folder("adapters")).toMatchObject({
    in: "directory",
    directory: expect.stringMatching(/\/adapters$/),
  });
  const source = await commit?.folder("adapters/");
  const files = source?.in === "memory" ? [...source.files.keys()] : [];
  expect(files).toEqual(["cue.mod/module.cue", "web/web.cue"]);
  for (const tree of [disk, commit]) {
    await expect(tree?.folder("none")).rejects.toThrow('no directory "none"');
    await expect(tree?.folder("../adapters")).rejects.toThrow("leads outside the repository");
  }
});

test("a link to a directory outside isn't a source of CUE files", async () => {
  const [disk, commit] = await both((fixture) => fixture.link("adapters", "/etc"));
  await expect(disk?.folder("adapters")).rejects.toThrow("leads outside");
  await expect(commit?.folder("adapters")).rejects.toThrow("leads outside");
});

test("a pipe is an error, and reading it doesn't block", async () => {
  const fixture = new GitFixture();
  execFileSync("mkfifo", [join(fixture.directory, "pipe.yaml")]);
  const tree = openWorkTree(fixture.directory);
  await expect(tree.read("pipe.yaml")).rejects.toThrow("isn't a regular file");
  expect((await tree.omitted()).map(({ path }) => path)).toEqual(["pipe.yaml"]);
  expect(await tree.list([".yaml"])).toEqual([]);
});

test.each([
  ["a broken link", "gone.yaml", "target: none.yaml"],
  ["a broken link through a link", "chain.yaml", "target: gone.yaml -> none.yaml"],
  ["a cycle of links", "circle.yaml", "ELOOP"],
  ["a pointer of Git LFS", "lfs.yaml", "is a pointer of Git LFS"],
])("%s isn't a missing or empty file, on disk and in a commit", async (_, path, message) => {
  const trees = await both((fixture) => {
    fixture.link("gone.yaml", "none.yaml");
    fixture.link("chain.yaml", "gone.yaml");
    fixture.link("circle.yaml", "circle.yaml");
    fixture.write("lfs.yaml", lfsPointer);
  });
  for (const tree of trees) await expect(tree.read(path)).rejects.toThrow(message);
});

const lfsPointer = [
  "version https://git-lfs.github.com/spec/v1",
  `oid sha256:${"4d".repeat(32)}`,
  "size 12345",
  "",
].join("\n");

test("the omitted paths of a commit and of the working tree are the same", async () => {
  const trees = await both((fixture) => {
    const inner = new GitFixture();
    inner.commit({ "s.yaml": "" });
    fixture.write("a/b.yaml", "");
    fixture.link("good.yaml", "a/b.yaml");
    fixture.link("gone.yaml", "none.yaml");
    fixture.link("circle", "circle");
    fixture.link("folder", "a");
    fixture.link("outside", "/etc");
    fixture.link("inside", "sub/s.yaml");
    fixture.write("line\nbreak.yaml", "");
    const allowed = ["-c", "protocol.file.allow=always"];
    fixture.git(...allowed, "submodule", "--quiet", "add", inner.directory, "sub");
  });
  for (const tree of trees) {
    const omitted = (await tree.omitted()).map(({ path }) => path).sort();
    const links = ["circle", "folder", "gone.yaml", "inside", "line\nbreak.yaml", "outside", "sub"];
    expect(omitted).toEqual(links);
    expect(await tree.list(["s.yaml"])).toEqual([]);
    await expect(tree.read("sub/s.yaml")).rejects.toThrow('"sub" is a Git submodule');
    await expect(tree.read("inside")).rejects.toThrow('"sub" is a Git submodule');
  }
});

test("a directory of CUE files in a submodule is an error", async () => {
  const trees = await both((fixture) => {
    fixture.write("adapters/a.cue", "");
    const inner = new GitFixture(join(fixture.directory, "adapters"));
    inner.commit({ "s.cue": "" });
  });
  for (const tree of trees)
    await expect(tree.folder("adapters")).rejects.toThrow('"adapters" is a Git submodule');
});

test("a directory of CUE files can contain a submodule", async () => {
  const trees = await both((fixture) => {
    fixture.write("adapters/a.cue", "");
    const inner = new GitFixture(join(fixture.directory, "adapters/sub"));
    inner.commit({ "s.cue": "" });
  });
  for (const tree of trees) expect(await tree.folder("adapters")).toBeDefined();
});

test("a CUE file that is a broken link is an error in a commit", async () => {
  const [, commit] = await both((fixture) => {
    fixture.write("adapters/a.cue", "");
    fixture.link("adapters/b.cue", "none.cue");
    fixture.link("adapters/_c.cue", "none.cue");
  });
  await expect(commit?.folder("adapters")).rejects.toThrow('Link "adapters/b.cue" leads to a file');
});

test("installed packages and git's own files aren't listed", async () => {
  const fixture = new GitFixture();
  for (const path of ["node_modules/x/a.yaml", ".git/a.yaml", "b/node_modules/a.yaml", "c.yaml"]) {
    fixture.write(path, "");
  }
  expect(await openWorkTree(fixture.directory).list([".yaml"])).toEqual(["c.yaml"]);
});

test("linked directories are part of a directory, on disk and in a commit", async () => {
  const trees = await both((fixture) => {
    fixture.write("adapters/shared/a.cue", "a: 1");
    fixture.write("elsewhere/d.cue", "");
    fixture.write("adapters/web/b.cue", "b: 1");
    fixture.link("adapters/web/common", "../shared");
    fixture.link("adapters/elsewhere", "../elsewhere");
    fixture.link("adapters/c.cue", "web/b.cue");
    fixture.link("adapters/self", ".");
    fixture.link("adapters/etc", "/etc");
    fixture.link("linked", "adapters");
  });
  const expectedFiles = ["c.cue", "shared/a.cue", "web/b.cue", "web/common/a.cue"];
  for (const folder of ["adapters", "linked"]) {
    const [disk, commit] = await Promise.all(trees.map((tree) => tree.folder(folder)));
    if (disk === undefined || commit?.in !== "memory") throw new Error("the wrong kind of folder");
    expect([...commit.files.keys()].sort()).toEqual(expectedFiles);
    const files = openRootFiles(disk);
    for (const path of expectedFiles)
      expect(files.read(path).toString()).toBe(commit.files.get(path));
  }
});

test("directories that link to each other are rejected for too many files", async () => {
  const [, commit] = await both((fixture) => {
    const names = [..."abcdefgh"];
    for (const from of names) {
      fixture.write(`m/${from}/${from}.cue`, "");
      for (const to of names) fixture.link(`m/${from}/to-${to}`, `../${to}`);
    }
  });
  await expect(commit?.folder("m")).rejects.toThrow("contains too many files");
});

test.each([
  ["params/base.yaml", ["params/base.yaml"]],
  ["one.yaml", ["one.yaml", "params/two.yaml", "params/base.yaml"]],
  ["linked/base.yaml", ["linked/base.yaml", "linked", "params/base.yaml"]],
  ["linked/two.yaml", ["linked/two.yaml", "linked", "params/two.yaml", "params/base.yaml"]],
  ["outside.yaml", ["outside.yaml"]],
  ["circle.yaml", ["circle.yaml"]],
  ["acme/adapters@v1/web.cue", ["acme/adapters@v1/web.cue"]],
])("the file at %s depends on %j", async (path, expected) => {
  const trees = await both((fixture) => {
    fixture.write("params/base.yaml", "");
    fixture.link("params/two.yaml", "base.yaml");
    fixture.link("one.yaml", "params/two.yaml");
    fixture.link("linked", "params");
    fixture.link("outside.yaml", "../x.yaml");
    fixture.link("circle.yaml", "circle.yaml");
  });
  for (const tree of trees) expect(await tree.linkedPaths(path)).toEqual(expected);
});

test.each([
  ["git's own settings", ".git/config"],
  ["the same on a case-insensitive file system", ".GIT/config"],
  ["git's own directory in a submodule", "vendor/x/.git/config"],
  ["a link to git's own settings", "config.yaml"],
  ["a file behind a link to git's own directory", "own/config"],
])("%s cannot be read on disk", async (_, path) => {
  const [disk] = await both((fixture) => {
    fixture.link("config.yaml", ".git/config");
    fixture.link("own", ".git");
  });
  await expect(disk?.read(path)).rejects.toThrow(`"${path}" is in git's own directory`);
});

test("a checkout's head contains only committed files", async () => {
  const fixture = new GitFixture();
  fixture.commit({ "params.yaml": "committed", "adapters/a.cue": "a: 1" });
  fixture.write("params.yaml", "changed");
  fixture.write("kubeconfig.yaml", "secret");
  fixture.write("adapters/secret.cue", "secret");
  const repository = await openRepository(fixture.directory, environment);
  const tree = commitTree(repository as ObjectRepository, await headCommit(repository));
  expect(await tree.read("params.yaml")).toBe("committed");
  expect(await tree.read("kubeconfig.yaml")).toBeUndefined();
  await expect(tree.read(".git/config")).rejects.toThrow("git's own");
  expect(await tree.list([".yaml"])).toEqual(["params.yaml"]);
  expect(await tree.folder("adapters")).toEqual({
    in: "memory",
    files: new Map([["a.cue", "a: 1"]]),
    embedded: new Map(),
  });
});

test.each([
  ["no repository", undefined],
  ["a repository without a commit", () => new GitFixture().directory],
])("%s has no head", async (_, make) => {
  const repository = make === undefined ? undefined : await openRepository(make(), environment);
  await expect(headCommit(repository)).rejects.toThrow("Run actions/checkout before this step");
});

/**
 * A repository that lacks objects is like a clone with `--filter=blob:none` whose remote can't be
 * reached.
 */
test("a file that a partial clone lacks is an error, not a missing file", async () => {
  const fixture = new GitFixture();
  fixture.write("adapters/web/a.cue", "package web\n");
  fixture.write("adapters/web/b.cue", "package web\n\nb: 1\n");
  fixture.write("params.yaml", "a: 1\n");
  fixture.link("link.yaml", "params.yaml");
  const commit = fixture.commit();
  for (const path of ["adapters/web/b.cue", "params.yaml"]) {
    const object = fixture.git("rev-parse", `${commit}:${path}`);
    rmSync(join(fixture.directory, ".git/objects", object.slice(0, 2), object.slice(2)));
  }
  const repository = await openRepository(fixture.directory, environment);
  if (repository === undefined) throw new Error("no repository");
  const tree = commitTree(repository, commit);
  const lacks = (path: string) => `"${path}": this clone doesn't contain the content of the file`;
  await expect(tree.folder("adapters")).rejects.toThrow(lacks("adapters/web/b.cue"));
  await expect(tree.read("params.yaml")).rejects.toThrow(lacks("params.yaml"));
  await expect(tree.read("link.yaml")).rejects.toThrow(lacks("link.yaml"));
  await expect(repository.readTree(commit, "", [".cue"])).rejects.toThrow(
    "remove `sparse-checkout`",
  );
  expect(await tree.read("adapters/web/a.cue")).toBe("package web\n");
  expect(await tree.read("none.yaml")).toBeUndefined();
});

test("a tree walks a module once, and walks all files for each later request", async () => {
  const fixture = new GitFixture();
  fixture.write("adapters/a.cue", "");
  const tree = openWorkTree(fixture.directory);
  await tree.folder("adapters");
  fixture.link("adapters/b.cue", "none.cue");
  fixture.link("adapters/c.yaml", "none.yaml");
  expect(await tree.folder("adapters")).toEqual(await tree.folder("./adapters/"));
  expect((await tree.list([".cue", ".yaml"])).length).toBe(3);
  await expect(openWorkTree(fixture.directory).folder("adapters")).rejects.toThrow("b.cue");

  await new Promise(setImmediate);
  fixture.write("adapters/d.cue", "");
  expect((await tree.list([".cue", ".yaml"])).length).toBe(4);
  await expect(tree.folder("none")).rejects.toThrow("none");
});
