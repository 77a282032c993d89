import { beforeAll, expect, test } from "vitest";
import { presenceText } from "../../../../src/report/describe/adapter-facts.ts";
import { parameterTables } from "../../../../src/report/describe/parameter-rows.ts";
import { compileWasm } from "../../../support/cue/open.ts";
import { describeParameters } from "./describe-package.ts";

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await compileWasm();
});

/** Declarations and their description: name, type, presence; a comment follows a dash. */
test.each([
  ["a: string", "a: string, required"],
  ["a?: string", "a: string, optional"],
  ["a!: string", "a: string, required"],
  ['a: string | *"x"', 'a: string, default "x"'],
  ["a: *8080 | int", "a: int, default 8080"],
  ['a: *"TCP" | "UDP"', 'a: "TCP" | "UDP", default "TCP"'],
  ['a: int | *"auto"', 'a: int | "auto", default "auto"'],
  ['a: "fixed"', 'a: "fixed", default "fixed"'],
  ["a: number | null", "a: number | null, required"],
  ["a: _", "a: _, required"],
  ["a: uint8 | *3", "a: uint8, default 3"],
  ["a: int & >0 & <10 | *1", "a: int & >0 & <10, default 1"],
  ['a: =~"^v[0-9]+$" & !~"0$"', 'a: =~"^v[0-9]+$" & !~"0$", required'],
  ['a: strings.HasPrefix("M") | *"M8"', 'a: strings.HasPrefix("M"), default "M8"'],
  ["a: strings.MinRunes(3)", "a: strings.MinRunes(3), required"],
  ['a: or(["x", "y"])', 'a: "x" | "y", required'],
  ["a: [...string]", "a: [...string], default []"],
  ["a: [...string] & list.MinItems(1)", "a: [...string] & list.MinItems(1), required"],
  ["a: [int, ...string]", "a: [int, ...string], required"],
  ["a: [string]: string", "a: [string]: string, default {}"],
  ["a: {p: string, q: int | *3, r?: bool}", "a: {p: string, q: int | *3, r?: bool}, required"],
  ['a: {p: string | *"x"}', 'a: {p: string | *"x"}, default {"p":"x"}'],
  ["a: {...}", "a: {...}, default {}"],
  ["a: close({})", "a: {}, default {}"],
  ["a: #Secret", "a: secret, required"],
  ["a?: #Secret", "a: secret, optional"],
  ["a: [string]: #Secret", "a: [string]: secret, default {}"],
  ["a: {key: string, version?: string}", "a: {key: string, version?: string}, required"],
  ["a: #Tree", "a: {name: string, children?: [...#Tree]}, required"],
  ["b: string\na: string | *b", "b: string, required\na: string, computed: b"],
  [
    'b: "x" | *"y"\na: string | *parameters.b',
    'b: "x" | "y", default "y"\na: string, computed: parameters.b',
  ],
  ['b: string\na: "\\(b)-x"', 'b: string, required\na: string, computed: "\\(b)-x"'],
  [
    "b: string\nlet _l = b\na: *strings.ToLower(_l) | string",
    "b: string, required\na: string, computed: strings.ToLower(_l)",
  ],
  ["b: int | *5\na: int & <=b", "a: int & <=b, required\nb: int, default 5"],
  [
    "b: [...string]\na: [for x in b {x}]",
    "b: [...string], default []\na: list, computed: [for x in b {x}]",
  ],
  ['b: string\nif b == "x" {a: string}', "b: string, required"],
  ["b: int | *5\nif b > 3 {a: string}", "b: int, default 5\na: string, conditional"],
  [
    'b: [...string] | *["c"]\nfor x in b {(x): string}',
    'b: [...string], default ["c"]\nc: string, conditional',
  ],
  ["_hidden: string\n#Definition: string\na: string", "a: string, required"],
  ["// Of the image.\na: string // and more", "a: string, required - Of the image.\nand more"],
  ['"quo ted": bool', "quo ted: bool, required"],
  [
    "a: {\n// The name.\nname: string\nsize: int | *3\n}",
    "a: {…}, required\na.name: string, required - The name.\na.size: int, default 3",
  ],
  [
    "_#env: {\n// The name.\nname: string}\na: [..._#env]\nb?: _#env",
    "a: [..._#env], default []\nb: _#env, optional\n_#env\nname: string, required - The name.",
  ],
])("%s", (declarations, expected) => {
  const tables = parameterTables(describeParameters(module, declarations).parameters);
  const lines = tables.flatMap(({ name, rows }) => [
    ...(name === "" ? [] : [name]),
    ...rows.map((row) => {
      const doc = row.doc === "" ? "" : ` - ${row.doc}`;
      return `${row.path}: ${row.type}, ${presenceText(row)}${doc}`;
    }),
  ]);
  expect(lines.join("\n")).toBe(expected);
});

test("a type of thousands of fields is truncated", () => {
  const wide = Array.from({ length: 1500 }, (_, i) => `f${i}: {x: string, y: {z: int}}`).join("\n");
  const { parameters } = describeParameters(module, `#Wide: {${wide}}\na: #Wide\nb: string`);
  expect(parameters.fields?.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(JSON.stringify(parameters).length).toBeLessThan(2_000_000);
});

test("contradictory parameters are a problem of the adapter", () => {
  expect(() => describeParameters(module, "a: string\na: 3")).toThrow(
    'Adapter "a.example/m/x" declares contradictory parameters',
  );
});
