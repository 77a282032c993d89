import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readManifestFiles } from "../../../../src/cli/files/read-manifest-files.ts";
import { temporaryDirectory } from "../../../support/git/git-fixture.ts";

/** Returns the error and the fix for a path in a directory with some unusual entries. */
function failure(path: string): readonly (string | undefined)[] {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "file.yaml"), "a: 1\n");
  symlinkSync("loop.yaml", join(directory, "loop.yaml"));
  const read = readManifestFiles(directory, path);
  if (read.ok) return ["no failure"];
  const [problem] = read.problems;
  return [problem?.facts?.[0]?.value, problem?.fix];
}

test.each([
  ["missing.yaml", "ENOENT", "Correct the path, because nothing exists there"],
  ["file.yaml/a.yaml", "ENOTDIR", "Correct the path, because a part of it is a file"],
  ["loop.yaml", "ELOOP", "Remove the cycle of links"],
  [`${"a".repeat(300)}.yaml`, "ENAMETOOLONG", "Use a shorter path"],
])("the fix for %s fits its error", (path, error, fix) => {
  expect(failure(path)).toEqual([error, fix]);
});
