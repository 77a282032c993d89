import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openModuleStore } from "../../../../../src/io/git/modules/store.ts";
import { describeProblem } from "../../../../support/describe-problem.ts";
import {
  environment,
  GitFixture,
  temporaryDirectory,
} from "../../../../support/git/git-fixture.ts";

const moduleFile = 'module: "m.example/m"\n';

/**
 * Returns the names and contents of the files that a run would read of main, without
 * `cue.mod/module.cue`, or the problem.
 */
async function read(module: GitFixture, path = ""): Promise<string> {
  const store = openModuleStore({
    cache: temporaryDirectory(),
    base: module.directory,
    anywhere: true,
    environment,
  });
  const request = { repo: module.directory, revision: "main", path, locked: undefined };
  const result = await store.fetch(request);
  if (!result.ok) return result.problems.map(describeProblem).join("\n");
  const { files } = result.value;
  if (files.in !== "memory") throw new Error("A module is never on disk");
  const others = [...files.files].filter(([name]) => name !== "cue.mod/module.cue");
  return others.map(([name, text]) => `${name}=${text.slice(0, 40)}`).join(" ");
}

function hostile(): { module: GitFixture; proof: string } {
  const module = new GitFixture();
  module.write("cue.mod/module.cue", moduleFile);
  module.write("a.cue", "1");
  return { module, proof: join(temporaryDirectory(), "proof") };
}

/**
 * Sets main to a commit with a tree that git itself would reject: entries as `mode name` and an
 * object.
 */
function commitTree(module: GitFixture, entries: readonly (readonly [string, string])[]): void {
  const tree = Buffer.concat(
    entries.map(([name, id]) => Buffer.concat([Buffer.from(`${name}\0`), Buffer.from(id, "hex")])),
  );
  const options = { cwd: module.directory, env: environment, input: tree };
  const made = ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"];
  const id = execFileSync("git", made, options).toString().trim();
  const commit = module.git("commit-tree", id, "-m", "x");
  module.git("update-ref", "refs/heads/main", commit);
}

test("submodules are neither fetched nor read, whatever commands .gitmodules contains", async () => {
  const { module, proof } = hostile();
  module.write(
    ".gitmodules",
    `[submodule "x"]\n\tpath = -u./evil\n\turl = --upload-pack=touch ${proof}\n\tupdate = !touch ${proof}\n[submodule "y"]\n\tpath = y\n\turl = ext::sh -c "touch ${proof}"\n`,
  );
  const commit = module.commit();
  module.git("update-index", "--add", "--cacheinfo", `160000,${commit},y`);
  module.git("commit", "--quiet", "--message=x");
  expect(await read(module)).toBe("a.cue=1");
  expect(existsSync(proof)).toBe(false);
});

test("attributes change nothing: no filter, no encoding, no line ends, no LFS", async () => {
  const { module, proof } = hostile();
  module.git("config", "filter.evil.smudge", `touch ${proof}`);
  module.git("config", "filter.evil.clean", "cat");
  module.git("config", "filter.lfs.smudge", `touch ${proof}`);
  module.git("config", "filter.lfs.clean", "cat");
  module.write(
    ".gitattributes",
    "a.cue filter=evil\nb.cue filter=lfs\nc.cue export-ignore ident\nd.cue text eol=crlf\n",
  );
  module.write("b.cue", "version https://git-lfs.github.com/spec/v1\n");
  module.write("c.cue", "// $Id$");
  module.write("d.cue", "d\n");
  module.commit();
  expect(await read(module)).toBe(
    "a.cue=1 b.cue=version https://git-lfs.github.com/spec/ c.cue=// $Id$ d.cue=d\n",
  );
  expect(existsSync(proof)).toBe(false);
});

test("qvs follows links only within the module", async () => {
  const { module } = hostile();
  module.link("passwd.cue", "/etc/passwd");
  module.link("up.cue", "../../../../etc/passwd");
  module.link("etc", "/etc");
  module.link("self", ".");
  module.link("git.cue", ".git/config");
  module.link("good", "web");
  module.write("web/w.cue", "w");
  module.commit();
  expect(await read(module)).toBe("a.cue=1 web/w.cue=w good/w.cue=w");
});

test("a directory that is a link out of the repository isn't a module", async () => {
  const { module } = hostile();
  module.link("adapters", "/etc");
  module.commit();
  expect(await read(module, "adapters")).toBe(
    `"adapters" leads outside ${module.directory} at main
  → Use a directory of the repository`,
  );
});

test("unusual file names are only names", async () => {
  const { module } = hostile();
  module.write("x\ny.cue", "line break");
  module.write("-o.cue", "option");
  module.write(":(glob)*.cue", "magic");
  module.write("ü\t.cue", "tab");
  module.commit();
  expect(await read(module)).toBe("-o.cue=option :(glob)*.cue=magic a.cue=1 ü\t.cue=tab");
});

test("qvs unpacks no tree with dangerous entries", async () => {
  const { module } = hostile();
  module.commit();
  const blob = module.git("rev-parse", "HEAD:a.cue");
  const cueMod = module.git("rev-parse", "HEAD:cue.mod");
  const inner = module.git("rev-parse", "HEAD^{tree}");
  commitTree(module, [
    ["40000 ..", inner],
    ["100644 ../../evil.cue", blob],
    ["40000 .git", inner],
    ["100644 /etc/evil.cue", blob],
    ["100644 a.cue", blob],
    ["40000 cue.mod", cueMod],
  ]);
  const content = await read(module);
  // These are keys of a map in memory, which is never written to a disk.
  expect(content).toContain("a.cue=1");
  expect(existsSync(join(module.directory, "../../evil.cue"))).toBe(false);
});

test("qvs rejects too large CUE files without reading them", async () => {
  const { module } = hostile();
  writeFileSync(join(module.directory, "large.cue"), Buffer.alloc(65 * 1024 * 1024, " "));
  module.commit();
  expect(await read(module)).toBe(
    `${module.directory} at main can't be read
  why: git can't read files of the commit. The files are too large
  → Keep large files out of this directory`,
  );
});

test("many modules can't exhaust the memory", async () => {
  const { module } = hostile();
  module.write("text.cue", `// ${"x".repeat(5000)}\n`);
  const revisions = ["1", "2", "3", "4"].map((text) => module.commit({ "a.cue": text }));
  const store = openModuleStore({
    cache: temporaryDirectory(),
    base: module.directory,
    anywhere: true,
    environment,
    maxCharacters: 8000,
  });
  const errors: string[] = [];
  for (const revision of revisions) {
    const request = { repo: module.directory, revision, path: "", locked: undefined };
    const result = await store.fetch(request);
    errors.push(result.ok ? "read" : (result.problems[0]?.what ?? ""));
  }
  const refused = "The modules and remote bases are too large together";
  expect(errors).toEqual(["read", "read", refused, refused]);
});

test("a repository within the application can't redirect git to another repository of the machine", async () => {
  const secret = new GitFixture();
  const commit = secret.commit({ "cue.mod/module.cue": moduleFile, "secret.cue": "hunter2" });
  const app = new GitFixture();
  const gitFolder = join(secret.directory, ".git");
  const bare = (name: string) => {
    const directory = join(app.directory, name);
    execFileSync("git", ["init", "--quiet", "--bare", directory], { env: environment });
    return directory;
  };
  const alternates = bare("alternates");
  writeFileSync(join(alternates, "objects/info/alternates"), `${gitFolder}/objects\n`);
  writeFileSync(join(alternates, "refs/heads/main"), `${commit}\n`);
  writeFileSync(join(bare("common"), "commondir"), gitFolder);
  const linked = bare("linked");
  symlinkSync(join(gitFolder, "objects/pack"), join(linked, "objects/extra"));
  mkdirSync(join(app.directory, "pointer"));
  writeFileSync(join(app.directory, "pointer/.git"), `gitdir: ${gitFolder}\n`);
  const store = openModuleStore({ cache: temporaryDirectory(), base: app.directory, environment });
  for (const repo of ["./alternates", "./common", "./linked", "./pointer"]) {
    const request = { repo, revision: "main", path: "", locked: undefined };
    const result = await store.fetch(request);
    expect(result.ok ? "read" : result.problems[0]?.what, repo).toBe(
      `The module repository "${repo}" isn't inside this repository`,
    );
  }
});

test("a complete repository within the application is read", async () => {
  const app = new GitFixture();
  const nested = join(app.directory, "nested");
  mkdirSync(nested);
  const module = new GitFixture(nested);
  const commit = module.commit({ "cue.mod/module.cue": moduleFile });
  const store = openModuleStore({ cache: temporaryDirectory(), base: app.directory, environment });
  const request = { repo: "./nested", revision: "main", path: "", locked: undefined };
  expect(await store.fetch(request)).toMatchObject({ ok: true, value: { commit } });
});
