import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { moduleLicences } from "../../scripts/engine-licences.ts";

/** Writes files, and returns a function that names the package of a module among them. */
function modulesWith(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), "qvs-licences-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const packageIn = (module: string, name: string, at = ".") => ({
    module: `${module} v1.0.0`,
    root: join(root, name),
    directory: join(root, name, at),
  });
  return { project: join(root, "project"), packageIn };
}

test("a module has the licenses and notices above its packages", () => {
  const { project, packageIn } = modulesWith({
    "cache/a/LICENSE": "license of a\n",
    "cache/a/NOTICE": "notice of a\n",
    "cache/a/license.go": "package a",
    "cache/a/copied/LICENSE.txt": "license of a copy",
    "cache/a/unused/LICENSE": "license of another package",
    "cache/a/copied/deep/copied.go": "package deep",
  });
  const packages = [packageIn("a", "cache/a"), packageIn("a", "cache/a", "copied/deep")];
  expect([...moduleLicences(packages, project)]).toEqual([
    ["a v1.0.0", "license of a\n\nnotice of a\n\nlicense of a copy"],
  ]);
});

test("a module without a license is an error", () => {
  const { project, packageIn } = modulesWith({ "cache/a/a.go": "package a" });
  expect(() => moduleLicences([packageIn("a", "cache/a")], project)).toThrow(
    "a v1.0.0 has no license",
  );
});

test("a module of the project has only the license of its copied files", () => {
  const { project, packageIn } = modulesWith({
    "project/own/own.go": "package own",
    "project/stub/LICENSE": "license of the original",
    "project/stub/b/copied.go": "/*\nCopyright 2014 The Authors.\n*/\npackage b",
    "project/stub/b/own.go": "package b",
  });
  const packages = [packageIn("own", "project/own"), packageIn("stub", "project/stub", "b")];
  expect([...moduleLicences(packages, project)]).toEqual([
    ["stub v1.0.0", "Parts of these files: b/copied.go\n\nlicense of the original"],
  ]);
});
