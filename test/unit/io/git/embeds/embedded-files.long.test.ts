import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createCompiler } from "../../../../../src/io/cue/compiler.ts";
import { createCue } from "../../../../../src/io/cue/engine/engine.ts";
import { commitTree } from "../../../../../src/io/git/commit-tree.ts";
import { openModuleStore } from "../../../../../src/io/git/modules/store.ts";
import { openRepository } from "../../../../../src/io/git/repository.ts";
import { openWorkTree } from "../../../../../src/io/git/work-tree.ts";
import type { FileSource } from "../../../../../src/ports/cue.ts";
import { compileWasm, load, wasm } from "../../../../support/cue/open.ts";
import {
  environment,
  GitFixture,
  temporaryDirectory,
} from "../../../../support/git/git-fixture.ts";

let engine: WebAssembly.Module;
beforeAll(async () => {
  engine = await compileWasm();
});

const header = "@extern(embed)\npackage x\n";
const moduleFile = {
  "m/cue.mod/module.cue": 'module: "a.example/m"\nlanguage: version: "v0.12.0"',
};

/** Creates the module m with a package x of this text, and other files. */
function repository(text: string, files: Readonly<Record<string, string>> = {}): GitFixture {
  const git = new GitFixture();
  const all = { ...moduleFile, "m/x/x.cue": header + text, ...files };
  for (const [path, content] of Object.entries(all)) git.write(path, content);
  return git;
}

async function onDisk(git: GitFixture): Promise<FileSource> {
  return openWorkTree(git.directory).folder("m");
}

async function inCommit(git: GitFixture): Promise<FileSource> {
  const commit = git.commit();
  const opened = await openRepository(git.directory, environment);
  if (opened === undefined) throw new Error("no repository");
  return commitTree(opened, commit).folder("m");
}

/** Returns the field `a` of the package x as JSON, or the first error. */
function valueIn(files: FileSource): string {
  const cue = createCue(engine, [{ display: "m/", files }]);
  const loaded = cue.load("a.example/m/x");
  if (!loaded.ok) return placed(loaded.errors[0]);
  const found = cue.lookup(load(cue), ["a"]);
  const json = found === undefined ? undefined : cue.export(found);
  return json?.ok === true ? JSON.stringify(json.value) : placed(json?.errors[0]);
}

type Failure = {
  readonly message: string;
  readonly positions: readonly { readonly file: string; readonly line: number }[];
};

function placed(error: Failure | undefined): string {
  const where = error?.positions.map(({ file, line }) => `${file}:${line}`).join(" and ");
  return `${where} ${error?.message}`;
}

const different = ".gitignore: m/x/ignored.txt";
test.each([
  ["text", "a: _ @embed(file=a.txt)", '"hello"'],
  ["YAML in a subdirectory", "a: _ @embed(file=d/b.yaml)", '{"n":1}'],
  ["JSON by its type", "a: _ @embed(file=c.conf, type=json)", '{"n":2}'],
  ["bytes", "a: _ @embed(file=bytes.dat, type=binary)", '"/wA="'],
  ["a glob", "a: _ @embed(glob=d/*.yaml)", '{"d/b.yaml":{"n":1}}'],
  [
    "a glob over links to directories",
    "a: _ @embed(glob=*/b.yaml)",
    '{"d/b.yaml":{"n":1},"e/b.yaml":{"n":1}}',
  ],
  [
    "a glob that also matches directories",
    "a: _ @embed(glob=[de], type=text, allowEmptyGlob)",
    "{}",
  ],
  ["a link within the module", "a: _ @embed(file=inside.txt)", '"hello"'],
  ["a CUE file as text", 'a: _ @embed(file="y.cue", type=text)', '"package y"'],
  [
    "no such file",
    "a: _ @embed(file=none.txt)",
    'm/x/x.cue:3 cannot embed "none.txt": m/x/none.txt does not exist',
  ],
  [
    "a place in YAML",
    "a: n: string\na: _ @embed(file=d/b.yaml)",
    "m/x/d/b.yaml:1 and m/x/x.cue:3 conflicting values string and 1 (mismatched types string and int)",
  ],
])("the embedded files are the same on disk and in a commit: %s", async (_, text, expected) => {
  const git = repository(text, {
    "m/x/a.txt": "hello",
    "m/x/d/b.yaml": "n: 1\n",
    "m/x/c.conf": '{"n": 2}',
    "m/x/y.cue": "package y",
  });
  writeFileSync(join(git.directory, "m/x/bytes.dat"), Buffer.from([0xff, 0]));
  git.link("m/x/e", "d");
  git.link("m/x/inside.txt", "../x/a.txt");
  expect(valueIn(await onDisk(git))).toBe(expected);
  expect(valueIn(await inCommit(git))).toBe(expected);
});

test("qvs reads only the named files of a commit", async () => {
  const text = "a: _ @embed(file=a.txt)\nb: _ @embed(glob=d/*.yaml)";
  const others = { "m/x/other.txt": "", "m/x/d/c.json": "", "m/secret.yaml": "", "n/d.yaml": "" };
  const named = { "m/x/a.txt": "", "m/x/d/b.yaml": "n: 1\n" };
  const source = await inCommit(repository(text, { ...others, ...named }));
  if (source.in !== "memory") throw new Error("not in memory");
  expect([...(source.embedded?.keys() ?? [])]).toEqual(["x/a.txt", "x/d/b.yaml"]);
  expect([...source.files.keys()]).toEqual(["cue.mod/module.cue", "x/x.cue"]);
});

test("a commit embeds no files of the working tree", async () => {
  const git = repository("a: _ @embed(file=a.txt)", { "m/x/a.txt": "committed" });
  const source = await inCommit(git);
  git.write("m/x/a.txt", "changed");
  git.write("m/x/ignored.txt", different);
  expect(valueIn(source)).toBe('"committed"');
});

test("the hash of a module depends on its embedded files and on no others", async () => {
  const git = new GitFixture();
  const hashAt = async (files: Readonly<Record<string, string>>) => {
    const revision = git.commit(files);
    const options = {
      cache: temporaryDirectory(),
      base: git.directory,
      anywhere: true,
      environment,
    };
    const fetched = await openModuleStore(options).fetch({
      repo: git.directory,
      revision,
      path: "",
      locked: undefined,
    });
    return fetched.ok ? fetched.value.hash : JSON.stringify(fetched.problems);
  };
  const first = await hashAt({
    "cue.mod/module.cue": moduleFile["m/cue.mod/module.cue"],
    "x/x.cue": `${header}a: _ @embed(file=a.txt)\nb: _ @embed(glob=d/*.txt, allowEmptyGlob)`,
    "x/a.txt": "1",
  });
  expect(first).toMatch(/^sha256:/);
  expect(await hashAt({ "x/other.txt": "2", "x/d/b.json": "" })).toBe(first);
  const changed = await hashAt({ "x/a.txt": "2" });
  expect(changed).not.toBe(first);
  const added = await hashAt({ "x/d/b.txt": "" });
  expect(added).not.toBe(changed);
  // Computes the hash with common programs, as docs/reference/qvs-yaml.md describes it.
  const names = ["cue.mod/module.cue", "x/a.txt", "x/d/b.txt", "x/x.cue"].join(" ");
  const sum = execFileSync("sh", ["-c", `sha256sum ${names} | sha256sum`], { cwd: git.directory });
  expect(added).toBe(`sha256:${sum.toString().slice(0, 64)}`);
});

test("a cached compilation is used only if the embedded files and globs are the same", async () => {
  const git = repository(
    'out: {"a": a, "b": b}\na: _ @embed(file=a.txt)\nb: _ @embed(glob=d/*.txt, allowEmptyGlob)',
    { "m/x/a.txt": "1" },
  );
  const script = new URL("../../../../support/cue/worker.ts", import.meta.url);
  const compiler = createCompiler({ script, wasm, cache: temporaryDirectory() });
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const use = { pattern: "a.example/m/x", group: undefined, params: [], where };
  const config = { file: "qvs.yaml", params: [], modules: [], designPatterns: [use] };
  const out = async () => {
    const files = await onDisk(git);
    const result = await compiler.compileCached({ config, modules: [{ display: "", files }] });
    return result.ok ? result.value.warnings[0]?.what : JSON.stringify(result.problems);
  };
  const outputs = [await out()];
  git.write("m/x/a.txt", "2");
  outputs.push(await out());
  git.write("m/x/d/b.txt", "3");
  outputs.push(await out());
  await compiler.close();
  expect(outputs).toEqual([
    '{"ok":true,"value":{"a":"1","b":{}}}',
    '{"ok":true,"value":{"a":"2","b":{}}}',
    '{"ok":true,"value":{"a":"2","b":{"d/b.txt":"3"}}}',
  ]);
});
