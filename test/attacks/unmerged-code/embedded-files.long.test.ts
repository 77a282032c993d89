import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createCompiler } from "../../../src/io/cue/compiler.ts";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import { embedLimit } from "../../../src/io/cue/root-files.ts";
import { commitTree } from "../../../src/io/git/commit-tree.ts";
import { openRepository } from "../../../src/io/git/repository.ts";
import { openWorkTree } from "../../../src/io/git/work-tree.ts";
import { catchProblems } from "../../../src/model/problems/errors.ts";
import { resultProblems } from "../../../src/model/problems/problem.ts";
import { compileWasm, wasm } from "../../support/cue/open.ts";
import { environment, GitFixture, temporaryDirectory } from "../../support/git/git-fixture.ts";
import { attacks } from "../attack.ts";

let engine: WebAssembly.Module;
beforeAll(async () => {
  engine = await compileWasm();
});

const header = "@extern(embed)\npackage x\n";
/** The error for a link that the embed needs. A commit doesn't contain its target. */
const brokenLink = `Link "settings.txt" leads to a file that doesn't exist`;
const module = 'module: "a.example/m"\nlanguage: version: "v0.12.0"';

/** A file of the user that an attacker wants to see in a manifest. */
interface Reach {
  readonly name: string;
  readonly attribute: string;
  readonly says: RegExp;
  readonly on?: "disk";
}
attacks<Reach>(
  "unmerged code",
  "an embed that reaches for $name",
  [
    {
      name: "a link outside the module",
      attribute: "file=outside.txt",
      says: /leads outside of its module/,
    },
    {
      name: "a link to the file system",
      attribute: "file=passwd.txt",
      says: /leads outside of its module/,
    },
    { name: "a link by a glob", attribute: "glob=pass*.txt", says: /leads outside of its module/ },
    {
      name: "a directory outside the module",
      attribute: "file=away/s.txt",
      says: /does not exist/,
    },
    { name: "a glob over it", attribute: "glob=away/*.txt", says: /no matches/ },
    {
      name: "a circular link",
      attribute: "file=circle.txt",
      says: /leads outside|not a regular file/,
    },
    {
      name: "a path with .. at the start",
      attribute: 'file="../../secret/s.txt"',
      says: /parent directory/,
    },
    {
      name: "a path with .. in the middle",
      attribute: 'file="d/../../../secret/s.txt"',
      says: /not normalized|parent directory/,
    },
    { name: "an absolute path", attribute: "file=/etc/hostname, type=text", says: /only relative/ },
    { name: "the parent by a glob", attribute: 'glob="../*.txt"', says: /parent directory/ },
    {
      name: "a file of another module",
      attribute: "file=inner/s.txt",
      says: /in different module/,
    },
    {
      name: "a file of another module by a glob",
      attribute: "glob=inner/*.txt",
      says: /in different module/,
    },
    { name: "git's settings", attribute: "file=.git/config, type=text", says: /does not exist/ },
    {
      name: "git's settings in capitals",
      attribute: "file=.GIT/config, type=text",
      says: /does not exist/,
    },
    { name: "git's settings by a glob", attribute: "glob=.git/*, type=text", says: /no matches/ },
    {
      name: "git's settings by a link",
      attribute: "file=settings.txt",
      says: /leads outside|does not exist/,
    },
    { name: "a pipe", attribute: "file=pipe.txt", says: /not a regular file/, on: "disk" },
    { name: "pipes by a glob", attribute: "glob=pip*.txt", says: /not a regular file/, on: "disk" },
    { name: "more than the limit of one file", attribute: "file=large.txt", says: /too large/ },
    { name: "more than the limit of all files", attribute: "glob=large/*.txt", says: /too large/ },
  ],
  async ({ attribute, says, on }) => {
    // The module is the whole repository here, so it contains the directory .git.
    const git = new GitFixture();
    const files = {
      "cue.mod/module.cue": module,
      "x.cue": `${header}a: _ @embed(${attribute})`,
      "inner/cue.mod/module.cue": 'module: "a.example/inner"',
      "inner/s.txt": "secret",
      "d/a.txt": "",
    };
    for (const [path, content] of Object.entries(files)) git.write(path, content);
    const outside = temporaryDirectory();
    writeFileSync(join(outside, "s.txt"), "secret");
    git.link("outside.txt", join(outside, "s.txt"));
    git.link("passwd.txt", "../../../../../../../../etc/passwd");
    git.link("away", outside);
    git.link("circle.txt", "circle.txt");
    git.link("settings.txt", ".git/config");
    if (attribute.includes("large.txt")) git.write("large.txt", " ".repeat(embedLimit + 1));
    for (const number of attribute.includes("large/") ? [1, 2, 3, 4, 5, 6] : [])
      git.write(`large/${number}.txt`, " ".repeat(embedLimit));
    const commit = git.commit();
    execFileSync("mkfifo", [join(git.directory, "pipe.txt")]);
    const opened = await openRepository(git.directory, environment);
    if (opened === undefined) throw new Error("no repository");
    const disk = await openWorkTree(git.directory).folder("");
    const folder = await catchProblems(() => commitTree(opened, commit).folder(""));
    const [problem] = resultProblems(folder);
    if (problem !== undefined) expect(problem.what).toBe(brokenLink);
    const memory = folder.ok ? [folder.value] : [];
    for (const source of on === "disk" ? [disk] : [disk, ...memory]) {
      const cue = createCue(engine, [{ display: "", files: source }]);
      const loaded = cue.load("a.example/m:x");
      expect(JSON.stringify(loaded)).toMatch(says);
      expect(JSON.stringify(loaded)).not.toMatch(/secret"|root:|\[core\]/);
    }
  },
);

test("a document that grows without end is stopped at the limits", {
  timeout: 120_000,
}, async () => {
  const levels = Array.from({ length: 12 }, (_, level) => {
    const items = Array(12).fill(level === 0 ? "x" : `*l${level - 1}`);
    return `l${level}: &l${level} [${items.join(", ")}]\n`;
  });
  const git = new GitFixture();
  const x = `${header}out: _ @embed(file=bomb.yaml)`;
  git.commit({ "cue.mod/module.cue": module, "x/x.cue": x, "x/bomb.yaml": levels.join("") });
  const script = new URL("../../support/cue/worker.ts", import.meta.url);
  const compiler = createCompiler({ script, wasm, timeLimit: 20_000 });
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const use = { pattern: "a.example/m/x", group: undefined, params: [], where };
  const config = { file: "qvs.yaml", params: [], modules: [], designPatterns: [use] };
  const files = await openWorkTree(git.directory).folder("");
  const result = await compiler.compile({ config, modules: [{ display: "", files }] });
  await compiler.close();
  const said = result.ok ? result.value.warnings[0]?.what : result.problems[0]?.what;
  expect(said).toContain("aliases expand to more than 50000 nodes");
});
