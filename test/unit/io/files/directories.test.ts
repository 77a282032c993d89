import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readManifestFiles } from "../../../../src/cli/files/read-manifest-files.ts";
import { directorySize, listEntries } from "../../../../src/io/files/directories.ts";
import { openWorkTree } from "../../../../src/io/git/work-tree.ts";
import { readPlanFiles } from "../../../../src/io/github/report-files.ts";

/**
 * Creates a directory with two links to itself, which a walk would follow endlessly, and one link
 * to the outside.
 */
function withLinks() {
  const parent = mkdtempSync(join(tmpdir(), "links-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, "folder");
  mkdirSync(join(folder, "in/deep"), { recursive: true });
  mkdirSync(join(parent, "elsewhere"));
  for (const file of ["folder/one.json", "folder/in/deep/two.json", "elsewhere/three.json"])
    writeFileSync(join(parent, file), "{}");
  for (const name of ["a", "b"]) symlinkSync(".", join(folder, name));
  symlinkSync("..", join(folder, "in/up"));
  symlinkSync("../elsewhere", join(folder, "out"));
  symlinkSync("../elsewhere/three.json", join(folder, "three.json"));
  return { parent, folder };
}

test("the walk follows no link and lists links as entries", () => {
  const { folder } = withLinks();
  const paths = listEntries(folder).map(({ parentPath, name }) =>
    relative(folder, join(parentPath, name)),
  );
  expect(paths).toEqual(["a", "b", "in/deep/two.json", "in/up", "one.json", "out", "three.json"]);
});

test("plans are read only from files in their directory", () => {
  const { parent, folder } = withLinks();
  expect(readPlanFiles(folder).map(({ file }) => file)).toEqual(["in/deep/two.json", "one.json"]);
  symlinkSync("folder", join(parent, "plans"));
  expect(() => readPlanFiles(join(parent, "plans"))).toThrow("is a symbolic link");
});

test("manifests, working tree files and directory sizes are read without following links", async () => {
  const { folder } = withLinks();
  const found = readManifestFiles(folder, ".");
  expect(found.ok ? [] : found.problems.map(({ what }) => what)).toEqual([
    ...["a", "b", "in/up", "out"].map((link) => `"${link}" is a link to a directory`),
    '"three.json" is a link to a file outside the directory',
  ]);
  expect(await openWorkTree(folder).list([".json"])).toEqual([
    ...["in/deep/two.json", "one.json", "three.json"],
  ]);
  const linked = await directorySize(folder);
  writeFileSync(join(folder, "../elsewhere/three.json"), "x".repeat(9_999));
  expect(await directorySize(folder)).toBe(linked);
});

test("only this module reads directories recursively", () => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const recursive = sources.filter((file) =>
    /recursive: true[^)]*withFileTypes|withFileTypes[^)]*recursive: true/.test(
      readFileSync(join("src", file), "utf8"),
    ),
  );
  expect(recursive).toEqual([]);
});
