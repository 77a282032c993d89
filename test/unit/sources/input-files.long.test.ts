import { expect, test } from "vitest";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { commitTree } from "../../../src/io/git/commit-tree.ts";
import { openRepository } from "../../../src/io/git/repository.ts";
import { openWorkTree } from "../../../src/io/git/work-tree.ts";
import { findInputFiles } from "../../../src/sources/input-files.ts";
import { environment, GitFixture } from "../../support/git/git-fixture.ts";
import { lines, must, resultText } from "../config/result-text.ts";

function repository(fill: (git: GitFixture) => void): GitFixture {
  const git = new GitFixture();
  fill(git);
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
async function find(path: string, fill: (git: GitFixture) => void = () => {}): Promise<string> {
  const git = repository(fill);
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
  ["a glob of all levels", "../../k8s/**/d*.y*ml", "k8s/db/db.yml"],
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

/** Adds a repository as a submodule. */
function addSubmodule(git: GitFixture, path: string): void {
  const inner = new GitFixture();
  inner.commit({ "s.yaml": "{}" });
  const allowed = ["-c", "protocol.file.allow=always"];
  git.git(...allowed, "submodule", "--quiet", "add", inner.directory, path);
}

const submodule = lines`
  qvs.yaml:1:30: "k8s/sub" is a Git submodule
    why: A commit doesn't contain the files of submodules, so qvs never reads them
    → Copy the files into this repository
      or move the submodule to a directory that qvs doesn't read
      or if it contains adapters, name its repository and a revision under modules`;

const broken = (link: string) =>
  [
    `qvs.yaml:1:30: Link "${link}" leads to a file that doesn't exist`,
    "  target: ../../gone",
    "  → Correct the target of the link",
    "    or remove the link",
    "    or commit its target: the Action reads only committed files",
  ].join("\n");

const directoryLink = (link: string) =>
  [
    `qvs.yaml:1:30: "${link}" is a link to a directory`,
    "  why: qvs follows links to files only",
    '  → Write an entry of its own for "k8s/db"',
  ].join("\n");

test.each([
  ["a broken link in a directory", "../../k8s", ["k8s/sub/s.yaml", "../../gone"], broken],
  [
    "a broken link that is the entry",
    "../../k8s/sub/s.yaml",
    ["k8s/sub/s.yaml", "../../gone"],
    broken,
  ],
  ["a broken link below a glob", "../../k8s/**/*.yaml", ["k8s/sub/s", "../../gone"], broken],
  ["a linked directory below a glob", "../../k8s/**/*.yaml", ["k8s/sub", "db"], directoryLink],
  ["a linked directory like a manifest", "../../k8s", ["k8s/sub.yaml", "db"], directoryLink],
  ["a linked directory on a glob", "../../up/*.yml", ["up", "k8s/db"], directoryLink],
] as const)("%s is an error", async (_, path, [link, target], expected) => {
  expect(await find(path, (git) => git.link(link, target))).toBe(expected(link));
});

test.each(["../../k8s", "../../k8s/**/*.yaml", "../../k8s/sub", "../../k8s/sub/s.yaml"])(
  "a submodule that the entry %s needs is an error",
  async (path) => {
    expect(await find(path, (git) => addSubmodule(git, "k8s/sub"))).toBe(submodule);
  },
);

test("a submodule that wasn't checked out is an error", async () => {
  const empty = (git: GitFixture) => {
    addSubmodule(git, "k8s/sub");
    git.git("submodule", "--quiet", "deinit", "--all", "--force");
  };
  expect(await find("../../k8s", empty)).toBe(submodule);
});

test("submodules, broken links and hidden files elsewhere aren't errors", async () => {
  const fill = (git: GitFixture) => {
    addSubmodule(git, "vendor/sub");
    git.link("docs/gone", "nowhere");
    git.link("k8s/db/.lock", "user@host");
  };
  expect(await find("../../k8s/db", fill)).toBe("k8s/db/data.json\nk8s/db/db.yml");
});

test("a path that leaves the repository is an error of the config", () => {
  const config = parseConfig("app/qvs.yaml", "designPatterns: [{manifests: ../../k8s}]");
  expect(resultText(config, String)).toBe(lines`
    app/qvs.yaml:1:30: Path "../../k8s" leads outside the repository
      → Write a path relative to this file, inside the repository, with / between names`);
});
