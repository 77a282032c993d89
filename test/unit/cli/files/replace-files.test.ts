import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { replaceFiles } from "../../../../src/cli/files/replace-files.ts";
import { temporaryRepository } from "../../../support/git/temporary-repository.ts";

const marker = ".qvs-output";

const one = new Map([
  ["app/web.yaml", { text: "a", isPrivate: false }],
  ["app/group/cache.yaml", { text: "b", isPrivate: false }],
  ["Pulumi.yaml", { text: "c", isPrivate: false }],
  ["layout.yaml", { text: "d", isPrivate: false }],
]);
const other = new Map([
  ["app/web.yaml", { text: "e", isPrivate: false }],
  ["layout.yaml", { text: "f", isPrivate: false }],
]);

test("a second run keeps only the files that it writes", async () => {
  const { directory } = temporaryRepository({
    "out/README.md": "mine",
    "out/app/notes.yaml": "mine",
  });
  expect(await replaceFiles(directory, "out", one)).toBe("Wrote 4 files to out");
  expect(await replaceFiles(directory, "out", other)).toBe(
    "Wrote 2 files to out, removed Pulumi.yaml, app/group/cache.yaml from an earlier run",
  );
  expect(filesIn(join(directory, "out"))).toEqual([
    marker,
    "README.md",
    "app/notes.yaml",
    "app/web.yaml",
    "layout.yaml",
  ]);
});

test("a directory without a qvs file list keeps all its files", async () => {
  const { directory } = temporaryRepository({ "Pulumi.yaml": "mine", "app/mine.yaml": "mine" });
  await replaceFiles(directory, ".", other);
  const files = ["Pulumi.yaml", "app/mine.yaml", "app/web.yaml", "layout.yaml"];
  expect(filesIn(directory)).toEqual([marker, ...files]);
});

test("a run doesn't overwrite a file that no earlier run wrote", async () => {
  const { directory } = temporaryRepository({ "layout.yaml": "mine", "app/mine.yaml": "mine" });
  await expect(replaceFiles(directory, ".", other)).rejects.toThrow(
    '"." contains files that qvs didn\'t write\n  files: layout.yaml',
  );
  expect(filesIn(directory)).toEqual(["app/mine.yaml", "layout.yaml"]);
});

test.each([
  ["the directory", "out", "victim", "out"],
  ["a parent directory", "deep", "victim", "deep/out"],
  ["the directory of a stage", "out/app", "../victim/app", "out"],
  ["the directory of a group", "out/app/group", "../../victim/app/group", "out"],
  ["a manifest", "out/app/web.yaml", "../../victim/app/web.yaml", "out"],
  ["the layout", "out/layout.yaml", "../victim/none", "out"],
  ["the list", `out/${marker}`, "../victim/none", "out"],
])("%s that is a link is rejected before anything is written", async (_, link, target, output) => {
  const { directory } = temporaryRepository({ "victim/app/group/old.yaml": "mine" });
  mkdirSync(dirname(join(directory, link)), { recursive: true });
  symlinkSync(target, join(directory, link));
  await expect(replaceFiles(directory, output, one)).rejects.toThrow(
    `"${join(directory, link)}" is a symbolic link`,
  );
  expect(filesIn(join(directory, "victim"))).toEqual(["app/group/old.yaml"]);
});

test("a file list from a repository removes nothing through a link", async () => {
  const { directory } = temporaryRepository({
    [`out/${marker}`]: JSON.stringify({ files: ["appSetup/old.yaml"] }),
    "victim/old.yaml": "mine",
  });
  symlinkSync("../victim", join(directory, "out/appSetup"));
  await expect(replaceFiles(directory, "out", other)).rejects.toThrow("is a symbolic link");
  expect(filesIn(join(directory, "victim"))).toEqual(["old.yaml"]);
});

test.each([
  ["climbs", '{"files":["app/../../mine.yaml"]}'],
  ["is absolute", '{"files":["/etc/mine.yaml"]}'],
  ["contains a path that no run writes", '{"files":["mine.yaml"]}'],
  ["isn't a list", "files: []"],
])("a file list that %s is rejected", async (_, text) => {
  const { directory } = temporaryRepository({ [`out/${marker}`]: text, "mine.yaml": "mine" });
  await expect(replaceFiles(directory, "out", other)).rejects.toThrow(
    `"out/${marker}" isn't a list of files from an earlier run`,
  );
  expect(filesIn(directory)).toEqual(["mine.yaml", `out/${marker}`]);
});

test("a directory in place of a manifest is an error with a fix", async () => {
  const { directory } = temporaryRepository({ "out/app/web.yaml/mine": "mine" });
  await expect(replaceFiles(directory, "out", other)).rejects.toThrow(
    "out/app/web.yaml\" isn't a file\n  help: Remove it",
  );
});

test("a file name that the file system rejects is an error with a fix", async () => {
  const { directory } = temporaryRepository({});
  const files = new Map([[`app/${"x".repeat(300)}.yaml`, { text: "", isPrivate: false }]]);
  await expect(replaceFiles(directory, "out", files)).rejects.toThrow("error: ENAMETOOLONG");
});

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}
