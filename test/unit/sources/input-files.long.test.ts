import { expect, test } from "vitest";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { commitTree } from "../../../src/io/git/commit-tree.ts";
import { openRepository } from "../../../src/io/git/repository.ts";
import { openWorkTree } from "../../../src/io/git/work-tree.ts";
import { findInputFiles } from "../../../src/sources/input-files.ts";
import { environment, GitFixture } from "../../support/git/git-fixture.ts";
import { lines, must, resultText } from "../config/result-text.ts";

function repository(): GitFixture {
  const git = new GitFixture();
  for (const path of [
    "k8s/web.yaml",
    "k8s/db/db.yml",
    "k8s/db/data.json",
    "k8s/readme.md",
    "k8s/.hidden/x.yaml",
    "k8s/.draft.yaml",
    "other/a.yaml",
    "od[d].yaml",
  ])
    git.write(path, "{}");
  git.link("linked", "k8s/db");
  git.link("k8s/alias.yaml", "../other/a.yaml");
  git.link("outside.yaml", "/etc/hostname");
  git.link("away", "..");
  git.link("inner/db", "../k8s/db");
  git.write("inner/x.yaml", "{}");
  git.commit();
  return git;
}

/** Finds the files of one entry, in the working tree and at the commit. */
async function find(path: string): Promise<string> {
  const git = repository();
  const config = parseConfig(
    "app/.valuestream/qvs.yaml",
    `designPatterns: [{manifests: ${JSON.stringify(path)}}]`,
  );
  const opened = await openRepository(git.directory, environment);
  if (opened === undefined) throw new Error("There is no repository.");
  const head = await opened.resolve("HEAD");
  const trees = [openWorkTree(git.directory), commitTree(opened, head ?? "")];
  const found = await Promise.all(
    trees.map(async (tree) =>
      resultText(await findInputFiles(tree, must(config)), (files) => files.flat().join("\n")),
    ),
  );
  const [here, committed] = found.map(withoutWording);
  expect(committed).toBe(here);
  return here ?? "";
}

/** Removes the differences of the messages about links of a working tree and a commit. */
function withoutWording(text: string): string {
  return text
    .replaceAll("app/.valuestream/", "")
    .replaceAll("The link ", "")
    .replaceAll(/\n {2}→ (Replace|Use only) .*/g, "");
}

test.each([
  ["a file", "../../k8s/web.yaml", "k8s/web.yaml"],
  ["a file with characters of a glob in its name", "../../od[d].yaml", "od[d].yaml"],
  [
    "a directory with its subdirectories, without hidden files",
    "../../k8s",
    "k8s/alias.yaml\nk8s/db/data.json\nk8s/db/db.yml\nk8s/web.yaml",
  ],
  ["a directory that is a link", "../../linked/", "linked/data.json\nlinked/db.yml"],
  ["a glob", "../../k8s/*.{yaml,json}", "k8s/alias.yaml\nk8s/web.yaml"],
  ["a glob of all levels", "../../**/d*.y*ml", "k8s/db/db.yml"],
])("an entry names %s", async (_, path, expected) => {
  expect(await find(path)).toBe(expected);
});

test.each([
  [
    "a path without manifests",
    "../../k9s",
    lines`
      qvs.yaml:1:30: "../../k9s" names no manifests
        searched: k9s (.yaml, .yml, .json)
        → Did you mean "k8s"?
          or correct the path, which is relative to the directory of this file
          or commit the files: the Action reads only committed files`,
  ],
  [
    "a file that is a link to the outside",
    "../../outside.yaml",
    'qvs.yaml:1:30: "outside.yaml" leads outside the repository',
  ],
  [
    "a directory that is a link to the outside",
    "../../away",
    'qvs.yaml:1:30: "away" leads outside the repository',
  ],
  [
    "a directory that contains a link to a directory",
    "../../inner",
    lines`
      qvs.yaml:1:30: "inner/db" is a link to a directory
        why: qvs follows links to files only
        → Write an entry of its own for "k8s/db"`,
  ],
])("an error names the entry: %s", async (_, path, expected) => {
  expect(await find(path)).toBe(expected);
});

test("a path that leaves the repository is an error of the config", () => {
  const config = parseConfig("app/qvs.yaml", "designPatterns: [{manifests: ../../k8s}]");
  expect(resultText(config, String)).toBe(lines`
    app/qvs.yaml:1:30: Path "../../k8s" leads outside the repository
      → Write a path relative to this file, inside the repository, with / between names`);
});
