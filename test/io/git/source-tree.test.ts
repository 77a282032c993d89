import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRepository } from "../../../src/io/git/repository.ts";
import { commitTree, workTree } from "../../../src/io/git/source-tree.ts";
import type { SourceTree } from "../../../src/ports.ts";
import { environment, GitFixture } from "./git-fixture.ts";

/** The same files in the work tree and in a commit. */
async function both(fill: (fixture: GitFixture) => void): Promise<readonly SourceTree[]> {
  const fixture = new GitFixture();
  fill(fixture);
  const commit = fixture.commit();
  const repository = await openRepository(fixture.directory, environment);
  if (repository === undefined) throw new Error("no repository");
  return [workTree(fixture.directory), commitTree(repository, commit)];
}

test("files are read and listed alike on disk and in a commit", async () => {
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
  ["a path that climbs", "../x.yaml"],
  ["a path that climbs from within", "a/../../x.yaml"],
  ["an absolute path", "/etc/passwd"],
  ["a path with a null character", "a\0b"],
  ["a link to outside", "outside.yaml"],
  ["a link to an absolute path", "passwd.yaml"],
  ["a file behind a folder link to outside", "etc/passwd"],
])("%s is refused on disk and in a commit", async (_, path) => {
  const trees = await both((fixture) => {
    fixture.write("a/b", "");
    fixture.link("outside.yaml", "../../../../../../../../etc/passwd");
    fixture.link("passwd.yaml", "/etc/passwd");
    fixture.link("etc", "/etc");
  });
  for (const tree of trees)
    await expect(tree.read(path)).rejects.toThrow("leads outside the repository");
});

test("a folder is a source of CUE files", async () => {
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
    await expect(tree?.folder("none")).rejects.toThrow('no folder "none"');
    await expect(tree?.folder("../adapters")).rejects.toThrow("leads outside the repository");
  }
});

test("a folder link to outside is no source of CUE files", async () => {
  const [disk, commit] = await both((fixture) => fixture.link("adapters", "/etc"));
  await expect(disk?.folder("adapters")).rejects.toThrow("leads outside");
  await expect(commit?.folder("adapters")).rejects.toThrow('no folder "adapters"');
});

test("a pipe is no file, and waiting for it never begins", async () => {
  const fixture = new GitFixture();
  execFileSync("mkfifo", [join(fixture.directory, "pipe.yaml")]);
  const tree = workTree(fixture.directory);
  expect(await tree.read("pipe.yaml")).toBeUndefined();
  expect(await tree.list([".yaml"])).toEqual([]);
});

test("what is installed or git's own is not listed", async () => {
  const fixture = new GitFixture();
  for (const path of ["node_modules/x/a.yaml", ".git/a.yaml", "b/node_modules/a.yaml", "c.yaml"]) {
    fixture.write(path, "");
  }
  expect(await workTree(fixture.directory).list([".yaml"])).toEqual(["c.yaml"]);
});
