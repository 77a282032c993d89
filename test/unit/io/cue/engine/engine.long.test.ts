import { beforeAll, expect, test } from "vitest";
import { createCue } from "../../../../../src/io/cue/engine/engine.ts";
import { EngineFailure } from "../../../../../src/io/cue/failure.ts";
import type { Cue, CueValue } from "../../../../../src/ports/cue.ts";
import { compileWasm, cueOf, load, moduleOf } from "../../../../support/cue/open.ts";

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await compileWasm();
});

/** Creates params whose line in the config is their number, counted from 1. */
function params(cue: Cue, values: Record<string, string | number>): CueValue {
  const entries = Object.entries(values).map(([name, value], index) => {
    return [name, { value, where: { file: "qvs.yaml", line: index + 1, column: 5 } }] as const;
  });
  return cue.struct(Object.fromEntries(entries));
}

const adapters = `
import "a.example/m/sidecar"

DesignPattern: {
	parameters: {name: string, port: int | *80}
	composites: [{pattern: sidecar.DesignPattern, params: target: parameters.name}]
	resources: app: "\\(parameters.name)/web": spec: {port: parameters.port, labels?: [string]: string}
	defer: app: {for id, r in resources.app {(id): seen: {for field, _ in r.spec {(field): true}}}}
}`;
const sidecar = `package sidecar
DesignPattern: {
	parameters: target: string
	resources: app: "\\(parameters.target)/web": spec: sidecar: parameters.target
}`;

function shop(): { readonly cue: Cue; readonly pattern: CueValue } {
  const files = { "x/x.cue": `package x\n${adapters}`, "sidecar/sidecar.cue": sidecar };
  const cue = createCue(module, [moduleOf(files, "shop/")]);
  return { cue, pattern: at(cue, load(cue), "DesignPattern") };
}

function at(cue: Cue, value: CueValue, ...path: string[]): CueValue {
  const found = cue.lookup(value, path);
  if (found === undefined) throw new Error(`nothing at ${path.join(".")}`);
  return found;
}

test("a composite is filled from its parent's params and its resources are seen by defer", () => {
  const { cue, pattern } = shop();
  const bound = cue.fill(pattern, ["parameters"], params(cue, { name: "shop" }));
  const [element] = cue.elements(at(cue, bound, "composites"));
  const composite = at(cue, element as CueValue, "pattern");
  const given = at(cue, element as CueValue, "params");
  const filled = cue.fill(composite, ["parameters"], given);
  const resource = at(cue, filled, "resources", "app", "shop/web");
  const composed = cue.fill(bound, ["resources", "app", "shop/web"], resource);
  expect(cue.export(at(cue, composed, "resources", "app"))).toEqual({
    ok: true,
    value: { "shop/web": { spec: { port: 80, sidecar: "shop" } } },
  });
  expect(cue.export(at(cue, composed, "defer", "app"))).toEqual({
    ok: true,
    value: { "shop/web": { seen: { port: true, sidecar: true } } },
  });
});

test("a param of the wrong type is reported at its line in the config before the adapter", () => {
  const { cue, pattern } = shop();
  const bound = cue.fill(pattern, ["parameters"], params(cue, { name: "shop", port: "http" }));
  const [problem] = cue.validate(at(cue, bound, "parameters", "port"), true);
  expect(problem?.positions[0]).toEqual({ file: "qvs.yaml", line: 2, column: 5 });
  expect(problem?.positions.map((p) => p.file)).toContain("shop/x/x.cue");
  expect(problem?.message).toMatch(/conflicting values/);
});

test("two resources that disagree are a conflict with both places", () => {
  const cue = cueOf(module, 'a: image: "one"\nb: image: "two"');
  const value = load(cue);
  const both = cue.unify(at(cue, value, "a"), at(cue, value, "b"));
  expect(cue.validate(both, false)).toEqual([
    {
      message: 'conflicting values "two" and "one"',
      path: ["a", "image"],
      positions: [
        { file: "x/x.cue", line: 2, column: 11 },
        { file: "x/x.cue", line: 3, column: 11 },
      ],
    },
  ]);
});

test("a closed CUE definition rejects an undeclared field", () => {
  const cue = cueOf(module, "#D: a: int\nd: #D");
  const filled = cue.fill(load(cue), ["d", "b"], params(cue, {}));
  expect(cue.validate(filled, false).map((p) => p.message)).toEqual(["field not allowed"]);
});

test("list arithmetic is reported once for each place", () => {
  const cue = cueOf(module, "a: [1]\nb: a + [2] + [3]\nc: 2 * b");
  expect(cue.export(load(cue))).toEqual({
    ok: true,
    value: { a: [1], b: [1, 2, 3], c: [1, 2, 3, 1, 2, 3] },
  });
  expect(cue.notices().map((n) => [n.position.line, n.position.column])).toEqual([
    [3, 4],
    [4, 4],
  ]);
});

test("each field has a kind and can be optional", () => {
  const cue = cueOf(module, "a: string\nb?: int\nc: *1 | int\nd: {e: string | *a}\n#F: 1\n_g: 2");
  const fields = cue.fields(load(cue)).map((f) => [f.name, f.kind, f.optional]);
  expect(fields).toEqual([
    ["a", "string", false],
    ["b", "int", true],
    ["c", "int", false],
    ["d", "struct", false],
  ]);
});

test("files are listed with the paths that messages show", () => {
  const { cue } = shop();
  expect(cue.files()).toEqual([
    "shop/cue.mod/module.cue",
    "shop/sidecar/sidecar.cue",
    "shop/x/x.cue",
  ]);
});

test("a module without cue.mod/module.cue is a problem of every load", () => {
  const source = { in: "memory" as const, files: new Map<string, string>() };
  const cue = createCue(module, [{ display: "lib/", files: source }]);
  expect(cue.load("a.example/m/x")).toMatchObject({
    ok: false,
    errors: [{ message: "lib/cue.mod/module.cue: no such file" }],
  });
});

test("the engine rejects more CUE than its limit", () => {
  const cue = cueOf(module, `a: 1\n//${" ".repeat(50_000_000)}`);
  expect(cue.load("a.example/m/x")).toMatchObject({
    ok: false,
    errors: [{ message: expect.stringContaining("more CUE than one evaluation can read") }],
  });
});

test("values are filled in under ids with any characters", () => {
  const cue = cueOf(module, "a: [string]: {name: string, tags: [...string]}");
  const given = (name: string) => params(cue, { name });
  const all = ["x", "y/z", "#w"].reduce(
    (value, id) => cue.fill(value, ["a", id], given(id)),
    load(cue),
  );
  const names = Object.fromEntries(["x", "y/z", "#w"].map((name) => [name, { name, tags: [] }]));
  expect(cue.export(all)).toEqual({ ok: true, value: { a: names } });
});

test("a struct that is nested 200 levels deep is evaluated", () => {
  const cue = cueOf(module, `a: ${"{a: ".repeat(200)}1${"}".repeat(200)}`);
  expect(cue.export(load(cue)).ok).toBe(true);
});

test("excessive nesting is an error of the engine and doesn't crash the process", () => {
  const cue = cueOf(module, `a: ${"{a: ".repeat(9_900)}1${"}".repeat(9_900)}`);
  // The main thread has the small stack that Node gives it; the worker has more.
  const attempt = () => cue.export(load(cue));
  expect(attempt).toThrow(EngineFailure);
  expect(attempt).toThrow(expect.objectContaining({ reason: "nesting" }));
});
