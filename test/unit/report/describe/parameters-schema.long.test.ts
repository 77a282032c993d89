import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, expect, test } from "vitest";
import { compileConfig } from "../../../../src/compile/compile-config.ts";
import { createCue } from "../../../../src/io/cue/engine/engine.ts";
import type { Json, JsonObject } from "../../../../src/model/json.ts";
import type { Cue, ModuleRoot } from "../../../../src/ports/cue.ts";
import { parametersSchema } from "../../../../src/report/describe/parameters-schema.ts";
import { compileWasm, moduleOf } from "../../../support/cue/open.ts";
import { fc } from "../../../support/fast-check.ts";
import { adapterWith, describePackage, withImports } from "./describe-package.ts";

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await compileWasm();
});

/**
 * Creates an adapter with one ConfigMap, so that compiling checks the params, and the schema of the
 * params.
 */
function adapterOf(declarations: string) {
  const text = `${adapterWith(declarations)}DesignPattern: resources: app: settings: {
	apiVersion: "v1"
	kind: "ConfigMap"
	metadata: name: "settings"
}
`;
  const root = moduleOf({ "x/x.cue": withImports(text) });
  const schema = parametersSchema(describePackage(module, text));
  const cue = createCue(module, [root]);
  const isValid = new Ajv2020({ allErrors: true, strictTuples: false }).compile(schema);
  return { schema, isValid, compiles: (params: JsonObject) => compiles(params, root, cue) };
}

function compiles(params: JsonObject, root: ModuleRoot, cue: Cue): boolean {
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const bound = Object.entries(params).map(([name, value]) => ({ name, value, where, from: [] }));
  const use = { pattern: "a.example/m/x", group: undefined, params: bound, where };
  const config = { file: "qvs.yaml", params: [], modules: [], designPatterns: [use] };
  return compileConfig({ config, modules: [root] }, cue).ok;
}

const some: readonly Json[] = [
  ...[null, true, false, 0, 3, -1, 10, 300, 2.5],
  ...["", "a", "x", "ab", "abc", "abcdef", "v1", "v10", "Ma", "aM", "TCP", "日本語"],
  ...[[], ["a"], ["a", "a"], [1], [1, "a"], ["a", "b", "c"]],
  ...[{}, { key: "k" }, { key: "k", version: "1" }, { key: 1 }, { key: "k", more: "m" }],
  ...[
    { p: "a" },
    { p: "a", q: 1 },
    { p: "a", q: "b" },
    { p: "a", other: 1 },
    { ax: 1 },
    { ax: "a" },
  ],
];

/**
 * The schema accepts exactly the params that compile: without a value, and with each value of
 * `some`.
 */
test.each([
  "a: string",
  "a?: string",
  "a: int",
  "a: int | *1",
  "a: float",
  "a: number",
  "a: bool",
  "a: null | int",
  "a: _",
  'a: "TCP" | "UDP"',
  'a: *"x" | "abc" | 3',
  'a: "x"',
  "a: int & >0 & <10",
  "a: >=3",
  "a: uint8 | *3",
  'a: =~"^v[0-9]$"',
  'a: string & !~"a"',
  'a: !="a"',
  'a: strings.HasPrefix("M")',
  'a: strings.HasSuffix("M")',
  'a: strings.Contains("b")',
  "a: strings.MinRunes(2) & strings.MaxRunes(3)",
  "a: math.MultipleOf(3)",
  "a: [...string]",
  "a: [...string] & list.MinItems(2)",
  "a: [...string] & list.MaxItems(1)",
  "a: [...] & list.UniqueItems()",
  "a: [int, ...string]",
  "a: [int, string]",
  "a: [string]: int",
  'a: {[=~"^a"]: int}',
  "a: {...}",
  "a: {p: string, q?: int}",
  "a: {p: string, q: int | *3}",
  "a: close({p: string, q?: int})",
  "a: #Secret",
  "a?: #Secret",
  "a: [...#Secret]",
  "a: #Secret | string",
  "a: [...string] | string",
  "a: int | string | *null",
])("the schema of %s accepts exactly the params that compile", (declarations) => {
  const { isValid, compiles } = adapterOf(declarations);
  const given: readonly JsonObject[] = [{}, ...some.map((value) => ({ a: value }))];
  const wrong = given.filter((params) => isValid(params) !== compiles(params));
  expect(wrong.map((params) => [params, isValid(params) ? "accepted" : "refused"])).toEqual([]);
});

/**
 * JSON Schema can't express all rules of CUE. Then the schema accepts too much, and never too
 * little.
 */
test.each([
  ["b: int | *5\na: int & <=b", { a: 7 }],
  ['b: string | *"x"\na: string | *b', undefined],
  ['b: string | *"x"\na: "\\(b)-x"', { a: "other" }],
  ["b: int | *5\nif b > 3 {a: int}", {}],
  ["a: time.Time", { a: "abc" }],
  ["a: struct.MinFields(2)", { a: {} }],
  ["a: {p: string} | {q: int}", { a: { q: 1 } }],
  ["a?: #Tree", { a: { name: "a", children: [{ name: 3 }] } }],
  ['a: =~"(?i)^V"', { a: "abc" }],
])("the schema of %j accepts all params that compile", (declarations, tooMuch) => {
  const { isValid, compiles } = adapterOf(declarations);
  const given: readonly JsonObject[] = [{}, ...some.map((value) => ({ a: value }))];
  expect(given.filter((params) => !isValid(params) && compiles(params))).toEqual([]);
  if (tooMuch !== undefined) expect([isValid(tooMuch), compiles(tooMuch)]).toEqual([true, false]);
});

test("the schema accepts all params that compile, for any input", () => {
  const { isValid, compiles } = adapterOf(`a: int & >=0 | *8080
b?: [...{name: string, value: _}]
c: {[string]: string}
d: *"x" | "y"
e?: close({f: bool, g?: #Secret})`);
  const value = fc.letrec<{ any: Json }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(null, true, 0, -1, 8080, 1.5, "x", "y", ""),
      fc.array(tie("any"), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom("name", "value", "f", "g", "key", "version"), tie("any"), {
        maxKeys: 3,
      }),
    ),
  })).any;
  const params = fc.record(
    { a: value, b: value, c: value, d: value, e: value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(params, (given) => isValid(given) === compiles(given)),
    { numRuns: 150 },
  );
});

test("the schema is draft 2020-12 and has title, description, defaults, places and a comment on other rules", () => {
  const { schema } = adapterOf(`// How many.
replicas: int & >0 | *2
token: #Secret
host: string | *"\\(token.key).example"
if replicas > 1 {spread: bool}`);
  expect(schema).toEqual({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "a.example/m/x",
    $comment: "Further rules: if replicas > 1 {spread: bool}",
    type: "object",
    properties: {
      replicas: {
        description: "How many.",
        type: "integer",
        exclusiveMinimum: 0,
        default: 2,
        $comment: "x/x.cue:6:1",
      },
      token: {
        type: "object",
        properties: {
          key: { type: "string", $comment: "x/x.cue:2:11" },
          version: { type: "string", $comment: "x/x.cue:2:24" },
        },
        required: ["key"],
        additionalProperties: false,
        $comment: "x/x.cue:7:1",
      },
      host: {
        type: "string",
        $comment: 'x/x.cue:8:1; computed: "\\(token.key).example"',
      },
      spread: { $comment: "x/x.cue:9:18; declared only under a condition, as bool" },
    },
    required: ["token"],
  });
});
