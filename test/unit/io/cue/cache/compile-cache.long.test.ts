import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { pruneFolder } from "../../../../../src/io/cue/cache/sealed-store.ts";
import { createPoolCompiler } from "../../../../../src/io/cue/compiler.ts";
import {
  answerQuestion,
  type FileQuestion,
  toInputsRead,
} from "../../../../../src/io/cue/inputs-read.ts";
import type { Pool } from "../../../../../src/io/cue/pool.ts";
import { openRootFiles } from "../../../../../src/io/cue/root-files.ts";
import type { JsonObject } from "../../../../../src/model/json.ts";
import { failed, ok } from "../../../../../src/model/problems/problem.ts";
import type { Compilation } from "../../../../../src/model/sources/compilation.ts";
import type {
  BoundParam,
  Config,
  ObjectInput,
  ParamDeclaration,
} from "../../../../../src/model/sources/config.ts";
import type { CompileRequest } from "../../../../../src/ports/cue.ts";
import { moduleOf } from "../../../../support/cue/open.ts";
import { temporaryDirectory } from "../../../../support/git/git-fixture.ts";

let home: string;
let cache: string;
beforeEach(() => {
  home = temporaryDirectory();
  cache = join(home, "compilations");
  writeFileSync(join(home, "compile.js"), "the compile stage");
  writeFileSync(join(home, "cue.wasm.zst"), "the engine");
});

const files = { "x/x.cue": "package x", "x/other.cue": "package other", "y/y.cue": "package y" };
const questions: readonly FileQuestion[] = [
  { root: 0, path: "cue.mod/module.cue", ask: "text" },
  { root: 0, path: "x", ask: "files" },
  { root: 0, path: "x/other.cue", ask: "text" },
  { root: 0, path: "x/x.cue", ask: "text" },
];
const where = { file: "qvs.yaml", line: 1, column: 1 };

interface RequestFacts {
  readonly files?: Readonly<Record<string, string>>;
  readonly params?: readonly Partial<BoundParam>[];
  readonly input?: Partial<ObjectInput>;
  readonly declared?: readonly ParamDeclaration[];
  readonly display?: string;
  readonly check?: boolean;
  readonly definitions?: readonly JsonObject[];
}

function request({
  params = [],
  declared = [],
  input,
  display,
  files: facts = files,
  ...flags
}: RequestFacts = {}): CompileRequest {
  const bound = params.map((param) => ({ name: "a", value: "v", from: [], where, ...param }));
  const use = { pattern: "a.example/m/x", group: undefined, params: bound, where };
  const config = { file: "qvs.yaml", params: declared, modules: [], designPatterns: [use] };
  const entry = { title: "helm: db", stage: "app", group: undefined, where, files: [], params: [] };
  const inputs = input === undefined ? {} : { inputs: [{ ...entry, objects: [], ...input }] };
  return {
    config: { ...config, ...inputs } as Config,
    modules: [moduleOf(facts, display)],
    ...flags,
  };
}

function compilation(text: string): Compilation {
  const layout = {
    ...{ pattern: "", name: "", file: "secret/place.cue", line: 1, group: undefined },
    ...{ params: {}, resources: [], composites: [] },
  };
  const warnings = [{ code: "deprecated-syntax" as const, where: [], what: text, fix: "" }];
  return { resources: [], pulumi: undefined, layout, warnings, inputs: [] };
}

/**
 * Starts a run whose engine returns `text` for every request. Without a text, a call of the engine
 * fails.
 */
function run(text: string | undefined, wasm = "cue.wasm.zst") {
  const [script, engine] = ["compile.js", wasm].map((name) => pathToFileURL(join(home, name)));
  if (script === undefined || engine === undefined) throw new Error("never");
  const pool: Pool = {
    options: { script, wasm: engine },
    ask: async ({ modules }) => {
      if (text === undefined) throw new Error("the engine was called");
      if (text === "wrong") return { type: "answered", result: failed([]) };
      const roots = modules.map((root) => openRootFiles(root.files));
      const inputsRead = toInputsRead(questions, (question) => answerQuestion(roots, question));
      return { type: "answered", result: ok(compilation(text)), inputsRead };
    },
    close: async () => {},
  };
  return createPoolCompiler(pool, { cache });
}

async function leave(text: string, facts?: RequestFacts): Promise<void> {
  const compiler = run(text);
  await compiler.compileCached(request(facts));
  await compiler.close();
}

/** Returns the result of the next run, which has no engine. */
async function found(facts?: RequestFacts, wasm?: string): Promise<string> {
  const result = await run(undefined, wasm)
    .compileCached(request(facts))
    .catch((error: Error) =>
      failed<Compilation>([
        { code: "deprecated-syntax" as const, where: [], what: error.message, fix: "" },
      ]),
    );
  return result.ok ? (result.value.warnings[0]?.what ?? "") : (result.problems[0]?.what ?? "");
}

const missed = "the engine was called";

test("the cache returns the result of an earlier run with the same input, byte for byte", async () => {
  await leave("first");
  const again = await run(undefined).compileCached(request());
  expect(again).toStrictEqual(ok(compilation("first")));
});

test("a deployment never uses the cache", async () => {
  await leave("a lie");
  const honest = run("the truth");
  const compiledWith = async (kind: "compile" | "compileCached") => {
    const result = await honest[kind](request());
    return result.ok && result.value.warnings[0]?.what;
  };
  expect(await compiledWith("compileCached")).toBe("a lie");
  expect(await compiledWith("compile")).toBe("the truth");
});

test.each([
  ["a file that was read has another content", { files: { ...files, "x/x.cue": "package x\n" } }],
  [
    "a file of another package in its directory has changed",
    { files: { ...files, "x/other.cue": "package x" } },
  ],
  ["a file was added to a directory that was read", { files: { ...files, "x/z.cue": "" } }],
  ["a file was removed", { files: { "x/x.cue": "package x" } }],
  ["a param has another value", { params: [{ value: "w" }] }],
  ["a module is shown under another name", { display: "lib/" }],
  ["the manifests are also checked", { check: true }],
  ["there are CustomResourceDefinitions to check them with", { definitions: [{ kind: "It" }] }],
])("the cache misses when %s", async (_, changed) => {
  await leave("first");
  expect(await found(changed)).toBe(missed);
  expect(await found()).toBe("first");
});

test("files that weren't read can change", async () => {
  await leave("first");
  expect(await found({ files: { ...files, "y/y.cue": "package z", "y/z.cue": "" } })).toBe("first");
});

test("another engine misses the cache", async () => {
  writeFileSync(join(home, "newer.wasm.zst"), "another engine");
  await leave("first");
  expect(await found(undefined, "newer.wasm.zst")).toBe(missed);
});

test("the cache keeps both of two alternating states of the files", async () => {
  const other = { files: { ...files, "x/x.cue": "package x // other" } };
  await leave("first");
  await leave("second", other);
  expect([await found(), await found(other)]).toEqual(["first", "second"]);
});

const password = { name: "pw", type: "secret", where } as const;
const reference = { key: "prod/db", version: "3" };

const used = { name: "a", value: "v", from: ["a"], where };
const secret = {
  ...{ id: "secret/db", where, object: { apiVersion: "v1", kind: "Secret", metadata: {} } },
  places: [{ path: ["stringData", "x"], where, given: [], from: ["a"] }],
};

const env = [{ name: "DB_PASSWORD", value: "v" }];
const variable = {
  ...{ id: "pod/a", where, object: { apiVersion: "v1", kind: "Pod", spec: { env } } },
  places: [{ path: ["spec", "env", "0", "value"], where, given: [], from: ["a"] }],
};

test.each<[string, RequestFacts, string]>([
  ["an inline value", { params: [{ inline: true }] }, missed],
  ["a param with the name of a secret", { params: [{ name: "dbPassword" }] }, missed],
  ["a value with a field of such a name", { params: [{ value: { token: "x" } }] }, missed],
  ["a value made from such a param", { params: [{ from: ["apiKey"] }] }, missed],
  [
    "a reference to a secret, which isn't secret itself",
    { params: [{ name: "dbPassword", value: reference, from: ["pw"] }], declared: [password] },
    "first",
  ],
  [
    "a value that only resembles a reference",
    { params: [{ name: "dbPassword", value: reference }], declared: [password] },
    missed,
  ],
  ["an inline value of a chart", { input: { params: [{ ...used, inline: true }] } }, missed],
  ["a secret value of a chart", { input: { params: [used], secretParams: ["a"] } }, missed],
  ["a param in a Secret of manifests", { input: { params: [used], objects: [secret] } }, missed],
  ["a param in a secret variable", { input: { params: [used], objects: [variable] } }, missed],
  ["another value of a chart", { input: { params: [used], secretParams: [] } }, "first"],
])("the cache stores only values that no one can guess: %s", async (_, facts, expected) => {
  await leave("first", facts);
  expect(await found(facts)).toBe(expected);
});

test("the cache doesn't store failures", async () => {
  await leave("wrong");
  expect(await found()).toBe(missed);
});

function entries(): readonly string[] {
  return readdirSync(cache).filter((name) => /^[0-9a-f]{64}$/.test(name));
}

test.each([
  ["truncated", (bytes: Buffer) => bytes.subarray(0, -1)],
  ["empty", () => Buffer.alloc(0)],
  ["altered", (bytes: Buffer) => bytes.fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1)],
  ["somebody's", () => Buffer.from("{}".repeat(100))],
])("entries that are %s are ignored", async (_, change) => {
  await leave("first");
  expect(entries()).toHaveLength(2);
  for (const name of entries()) {
    const path = join(cache, name);
    const before = readFileSync(path);
    writeFileSync(path, change(Buffer.from(before)));
    expect(await found()).toBe(missed);
    writeFileSync(path, before);
    expect(await found()).toBe("first");
  }
});

test("an entry under another entry's name is ignored", async () => {
  const other = { files: { ...files, "x/x.cue": "package x // other" } };
  await leave("first");
  const first = entries();
  await leave("second", other);
  const second = entries().filter((name) => !first.includes(name));
  expect(second).toHaveLength(1);
  for (const name of first) {
    writeFileSync(join(cache, second[0] ?? ""), readFileSync(join(cache, name)));
    expect(await found(other)).toBe(missed);
  }
});

test("the files of the cache are unreadable without the input", async () => {
  await leave("the value of a Secret");
  const all = readdirSync(cache).flatMap((name) => [
    name,
    readFileSync(join(cache, name), "latin1"),
  ]);
  expect(all.join("\n")).not.toMatch(/value|secret|cue|qvs|warnings/);
});

test("qvs doesn't use a cache directory that other users can write to", async () => {
  await leave("first");
  chmodSync(cache, 0o777);
  expect(await found()).toBe(missed);
  await leave("second");
  chmodSync(cache, 0o700);
  expect(await found()).toBe("first");
});

test("qvs continues if it can't create or write the cache directory", async () => {
  writeFileSync(cache, "a file");
  await leave("first");
  expect(await found()).toBe(missed);
});

test("parallel runs leave complete entries and no drafts", async () => {
  await Promise.all(["first", "first", "first"].map((text) => leave(text)));
  expect(await found()).toBe("first");
  expect(readdirSync(cache).filter((name) => name.startsWith("draft"))).toEqual([]);
});

const hour = 3_600_000;

test("qvs removes entries unused for a month, at most once per hour", async () => {
  mkdirSync(cache);
  const now = Date.now();
  const leaveFile = (letter: string, days: number) => {
    const path = join(cache, letter.repeat(64));
    writeFileSync(path, "x");
    utimesSync(path, now / 1000, now / 1000 - days * 24 * 3600);
  };
  leaveFile("a", 1);
  leaveFile("b", 31);
  writeFileSync(join(cache, "not ours.txt"), "x");
  const names = () => readdirSync(cache).map((name) => name.slice(0, 8));
  await pruneFolder(cache, now);
  expect(names()).toEqual(["aaaaaaaa", "not ours", "pruned"]);
  leaveFile("c", 31);
  await pruneFolder(cache, now + hour / 2);
  expect(names()).toContain("cccccccc");
  await pruneFolder(cache, now + 2 * hour);
  expect(names()).not.toContain("cccccccc");
});
