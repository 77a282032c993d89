import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { compileConfig } from "../../../../src/compile/compile-config.ts";
import { limitResult } from "../../../../src/compile/limit-result.ts";
import { createCompiler } from "../../../../src/io/cue/compiler.ts";
import { createCue } from "../../../../src/io/cue/engine/engine.ts";
import type { Json } from "../../../../src/model/json.ts";
import type { Result } from "../../../../src/model/problems/problem.ts";
import type { Compilation } from "../../../../src/model/sources/compilation.ts";
import type { CompileRequest, Compiler } from "../../../../src/ports/cue.ts";
import { compileWasm, moduleOf, wasm } from "../../../support/cue/open.ts";
import { fc } from "../../../support/fast-check.ts";

const script = new URL("../../../../src/compile-worker.ts", import.meta.url);
const compilers: Compiler[] = [];
afterEach(() => Promise.all(compilers.splice(0).map((compiler) => compiler.close())));

function start(workers: number, timeLimit?: number): Compiler {
  const mayGrow = (running: number) => running < workers;
  const compiler = createCompiler({ script, wasm, timeLimit, mayGrow });
  compilers.push(compiler);
  return compiler;
}

const object = `provider: "kubernetes", apiVersion: "v1", kind: "ConfigMap"`;

/**
 * Different adapters: one that composes two others, one with old lists, and three that don't
 * compile.
 */
const adapters = {
  "part/part.cue": `package part
DesignPattern: {
	parameters: {name: string, data: {[string]: string}}
	resources: app: (parameters.name): {${object}, metadata: name: parameters.name, data: parameters.data}
}`,
  "both/both.cue": `package both
import "a.example/m/part"
DesignPattern: {
	parameters: value: string
	composites: [for each in ["one", "two"] {pattern: part.DesignPattern, params: {name: each, data: "value": parameters.value}}]
	resources: app: {...}
	defer: app: {for id, _ in resources.app {(id): metadata: labels: deferred: id}}
}`,
  // Only the params decide whether this adds numbers, or lists, which CUE no longer supports.
  "sum/sum.cue": `package sum
import "encoding/json"
DesignPattern: {
	parameters: {a: _, b: _}
	_sum: parameters.a + parameters.b
	resources: app: sum: {${object}, metadata: name: "sum", data: sum: json.Marshal(_sum)}
}`,
  "conflict/conflict.cue": `package conflict
DesignPattern: {parameters: value: string, resources: app: it: {${object}, metadata: name: "a" & parameters.value}}`,
  "broken/broken.cue": "package broken\nDesignPattern: {",
  "endless/endless.cue": `package endless
import "list"
DesignPattern: resources: app: it: {${object}, metadata: name: "x", data: n: "\\(len([for a in list.Range(0, 1000000, 1) for b in list.Range(0, 1000000, 1) {a + b}]))"}`,
};

interface Use {
  readonly adapter: string;
  readonly params?: Readonly<Record<string, Json>>;
}

const uses: readonly Use[] = [
  { adapter: "both", params: { value: "first" } },
  { adapter: "sum", params: { a: [1], b: [2] } },
  { adapter: "sum", params: { a: 1, b: 2 } },
  { adapter: "conflict", params: { value: "b" } },
  { adapter: "both", params: { value: "second" } },
  { adapter: "sum", params: { a: ["x"], b: ["y"] } },
  { adapter: "broken" },
  { adapter: "sum", params: { a: "x", b: "y" } },
  { adapter: "missing" },
  { adapter: "both", params: { vlaue: "third" } },
  { adapter: "conflict", params: { value: "a" } },
  { adapter: "part", params: { name: "x", data: {} } },
];

const module = moduleOf(adapters, "adapters/");
/** The same adapters at another commit, with one difference. */
const earlier = moduleOf(
  { ...adapters, "part/part.cue": adapters["part/part.cue"].replace("app:", "appSetup:") },
  "adapters/",
);

function requestFor({ adapter, params = {} }: Use, file: string, root = module): CompileRequest {
  const where = { file, line: 9, column: 3 };
  const bound = Object.entries(params).map(([name, value]) => ({ name, value, where, from: [] }));
  const use = { pattern: `a.example/m/${adapter}`, group: undefined, params: bound, where };
  return { config: { file, params: [], modules: [], designPatterns: [use] }, modules: [root] };
}

const requests = [
  ...uses.map((use, index) => requestFor(use, `qvs_${index}.yaml`)),
  ...uses.slice(0, 3).map((use, index) => requestFor(use, `qvs_${index}.yaml`, earlier)),
];

function text(result: Result<Compilation>): string {
  return JSON.stringify(result);
}

/** Compiles each request in a new engine. */
async function oneAtATime(): Promise<readonly string[]> {
  const compiled = await compileWasm();
  return requests.map((request) =>
    text(limitResult(compileConfig(request, createCue(compiled, request.modules)))),
  );
}

test("a request has the same result in any order and with any number of workers", async () => {
  const alone = await oneAtATime();
  expect(alone.filter((each) => each.startsWith('{"ok":true'))).toHaveLength(11);
  // At the other commit, only the first of its three requests differs.
  expect(new Set(alone).size).toBe(requests.length - 2);
  const orders = fc.shuffledSubarray(
    requests.map((_, index) => index),
    { minLength: requests.length },
  );
  for (const [run, order] of fc.sample(orders, { numRuns: 3, seed: 7 }).entries()) {
    const compiler = start(run === 0 ? 1 : 2);
    const results = await Promise.all(
      order.map((index) => compiler.compile(requests[index] as CompileRequest)),
    );
    expect(results.map(text)).toEqual(order.map((index) => alone[index]));
  }
});

test("a timeout of one request doesn't stop the others", async () => {
  const compiler = start(2, 10_000);
  const endless = requestFor({ adapter: "endless" }, "endless.yaml");
  const some = requests.slice(0, 5);
  const [stopped, ...others] = await Promise.all(
    [endless, ...some].map((r) => compiler.compile(r)),
  );
  expect(stopped).toEqual({
    ok: false,
    problems: [
      expect.objectContaining({
        what: '"a.example/m/endless": the evaluation took more than 10 s',
      }),
    ],
  });
  expect(others.map((each) => each.ok)).toEqual([true, true, true, false, true]);
  expect((await compiler.compile(requests[5] as CompileRequest)).ok).toBe(true);
});

test("a stopped adapter isn't evaluated again in the same run", async () => {
  const started = join(mkdtempSync(join(tmpdir(), "workers-")), "started");
  vi.stubEnv("QVS_TEST_WORKERS", started);
  onTestFinished(() => void vi.unstubAllEnvs());
  const counted = new URL("./counted-worker.ts", import.meta.url);
  const compiler = createCompiler({
    script: counted,
    wasm,
    timeLimit: 10_000,
    mayGrow: () => false,
  });
  compilers.push(compiler);
  const stopped = /^"a.example\/m\/endless": the evaluation took more than 10 s$/;
  const use = (file: string, files: Readonly<Record<string, string>> = adapters) =>
    compiler.compile(requestFor({ adapter: "endless" }, file, moduleOf(files, "adapters/")));
  const part = (file: string) =>
    compiler.compile(requestFor({ adapter: "part", params: { name: "a", data: {} } }, file));
  // The engine starts before the time limit counts. A slow start would hide the endless adapter.
  expect((await part("zero.yaml")).ok).toBe(true);
  const [first, waiting] = await Promise.all([use("one.yaml"), use("two.yaml")]);
  const later = await use("three.yaml", { ...adapters });
  const ok = await part("four.yaml");
  for (const [file, result] of [
    ["one.yaml", first],
    ["two.yaml", waiting],
    ["three.yaml", later],
  ] as const)
    expect(result).toMatchObject({
      ok: false,
      problems: [{ where: [{ file }], what: expect.stringMatching(stopped) }],
    });
  expect(ok.ok).toBe(true);
  // One worker was stopped, and another one did the remaining work.
  expect(readFileSync(started, "utf8")).toBe("xx");
  const mended = adapters["endless/endless.cue"].replaceAll("1000000", "10");
  expect((await use("five.yaml", { ...adapters, "endless/endless.cue": mended })).ok).toBe(true);
});

test("the same config from the same files is evaluated once", async () => {
  const compiler = start(1);
  const request = requestFor({ adapter: "both", params: { value: "x" } }, "qvs.yaml");
  const first = await compiler.compile(request);
  const copy = { ...request, modules: [moduleOf(adapters, "adapters/")] };
  const again = await compiler.compile(copy);
  expect(again.ok && first.ok && again.value === first.value).toBe(true);
});

test.each([
  [
    "a file that didn't exist before",
    "both/another.cue",
    "package both\nDesignPattern: parameters: value: 1",
  ],
  [
    "a file of its directory that becomes part of the package",
    "both/other.cue",
    "package both\nDesignPattern: parameters: value: 1",
  ],
  ["an older language version of the module", "cue.mod/module.cue", 'module: "b.example/m"'],
])("the config is evaluated again with %s", async (_, path, content) => {
  const compiler = start(1);
  const before = { ...adapters, "both/other.cue": "package other" };
  const request = (files: Readonly<Record<string, string>>) =>
    requestFor({ adapter: "both", params: { value: "x" } }, "qvs.yaml", moduleOf(files));
  expect((await compiler.compile(request(before))).ok).toBe(true);
  expect((await compiler.compile(request({ ...before, [path]: content }))).ok).toBe(false);
});

test("closing stops waiting and running requests", async () => {
  const compiler = start(1);
  const both = [0, 1].map((index) =>
    compiler.compile(requestFor({ adapter: "endless" }, `endless_${index}.yaml`)),
  );
  setTimeout(() => compiler.close(), 300);
  const ended = await Promise.allSettled(both);
  expect(ended.map((each) => each.status === "rejected" && each.reason.message)).toEqual([
    "the worker ended before it answered",
    "the compiler was closed before it answered",
  ]);
});
