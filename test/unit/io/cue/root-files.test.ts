import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  listDirectories,
  missing,
  openRootFiles,
  type RootFiles,
  refused,
} from "../../../../src/io/cue/root-files.ts";

let folder: string;
let files: RootFiles;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "qvs-sources-"));
  mkdirSync(join(folder, "module/sub"), { recursive: true });
  mkdirSync(join(folder, "module-other"));
  writeFileSync(join(folder, "module/a.cue"), "a");
  writeFileSync(join(folder, "secret.cue"), "secret");
  writeFileSync(join(folder, "module-other/b.cue"), "b");
  files = openRootFiles({ in: "directory", directory: join(folder, "module") });
});
afterEach(() => rmSync(folder, { recursive: true }));

function text(path: string): string | number {
  const answer = files.read(path);
  return typeof answer === "number" ? answer : answer.toString();
}

test("files and directories inside the root are readable, and directories aren't listed", () => {
  expect(files.list(".")).toEqual(["a.cue"]);
  expect(files.list("sub")).toEqual([]);
  expect(text("a.cue")).toBe("a");
  expect(text("b.cue")).toBe(missing);
  expect(text("sub")).toBe(missing);
});

test("directories are reported on disk and in memory, without links and vendored packages", () => {
  mkdirSync(join(folder, "module/cue.mod/pkg"), { recursive: true });
  mkdirSync(join(folder, "module/sub/deep"));
  symlinkSync("../../module-other", join(folder, "module/sub/link"));
  expect(listDirectories(files)).toEqual([".", "sub", "sub/deep"]);
  const texts = new Map([
    ["a.cue", ""],
    ["sub/deep/b.cue", ""],
  ]);
  const memory = openRootFiles({ in: "memory", files: texts });
  expect(listDirectories(memory)).toEqual([".", "sub", "sub/deep"]);
});

test("a link inside the root is followed", () => {
  symlinkSync("../a.cue", join(folder, "module/sub/link.cue"));
  expect(text("sub/link.cue")).toBe("a");
});

test.each([
  ["a link to a file outside", "link.cue", "../secret.cue"],
  [
    "a link to a sibling directory whose name starts like that of the root",
    "link.cue",
    "../module-other/b.cue",
  ],
])("%s is rejected", (_, name, target) => {
  symlinkSync(target, join(folder, "module", name));
  expect(text(name)).toBe(refused);
});

test("a directory behind a link to the outside has no files", () => {
  symlinkSync("../module-other", join(folder, "module/linked"));
  expect(files.list("linked")).toEqual([]);
  expect(text("linked/b.cue")).toBe(refused);
});

test("parent directory segments don't leave the root", () => {
  expect(text("../secret.cue")).toBe(refused);
  expect(files.list("..")).toEqual([]);
});

test("reading a pipe doesn't block", () => {
  execFileSync("mkfifo", [join(folder, "module/pipe.cue")]);
  expect(text("pipe.cue")).toBe(missing);
});

test("files in memory answer like files on disk", () => {
  const memory = openRootFiles({
    in: "memory",
    files: new Map([
      ["sub/b.cue", "b"],
      ["a.cue", "a"],
    ]),
  });
  expect(memory.list(".")).toEqual(["a.cue"]);
  expect(memory.list("sub")).toEqual(["b.cue"]);
  expect(memory.read("sub/c.cue")).toBe(missing);
});
