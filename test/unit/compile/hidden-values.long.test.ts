import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { compileConfig } from "../../../src/compile/compile-config.ts";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { Problem } from "../../../src/model/problems/problem.ts";
import type { BoundParam } from "../../../src/model/sources/config.ts";
import { describeProblem } from "../../support/describe-problem.ts";

interface Case {
  readonly name: string;
  /** `parameters` and `resources` of the adapter, in CUE. */
  readonly adapter: string;
  /** The params of the adapter, in YAML. */
  readonly params: string;
  /** A package of CUE that the adapter imports. */
  readonly imported?: string;
  readonly inline?: boolean;
  readonly from?: readonly string[];
  /** The messages of the problems, without their places and fixes. */
  readonly message: string;
}

const secret = `{apiVersion: "v1", kind: "Secret", metadata: name: "s"`;
const config = `{apiVersion: "v1", kind: "ConfigMap", metadata: name: "c"`;

const cases: readonly Case[] = [
  {
    name: "a value that a Secret constrains",
    adapter: `parameters: text: string, resources: app: s: ${secret}, stringData: a: parameters.text & =~"^x"}`,
    params: "{text: hunter2}",
    message: "Resource app/s: a value isn't allowed; path: stringData.a",
  },
  {
    name: "two values of a Secret",
    adapter: `parameters: text: string, resources: app: s: ${secret}, data: a: parameters.text & 5}`,
    params: "{text: hunter2}",
    message:
      "Resource app/s: data.a has two different values; values: (hidden); types: int and string",
  },
  {
    name: "a param that is also the value of a Secret, if another resource rejects it",
    adapter: `parameters: text: string, resources: app: {s: ${secret}, stringData: a: parameters.text}, c: ${config}, data: a: parameters.text & "other"}}`,
    params: "{text: hunter2}",
    message: "Resource app/c: data.a has two different values; values: (hidden)",
  },
  {
    name: "a param of an adapter that writes a Secret",
    adapter: `parameters: text: int, resources: app: s: ${secret}, stringData: a: "\\(parameters.text)"}`,
    params: "{text: hunter2}",
    message:
      'Parameter "text" of "test.example/a" has an invalid value; found: (hidden); expected: an integer',
  },
  {
    name: "a param of an adapter that writes a Secret, if the same param decides about it",
    adapter: `parameters: text: bool, resources: app: {c: ${config}}, if parameters.text {s: ${secret}}}}`,
    params: "{text: hunter2}",
    message:
      'Parameter "text" of "test.example/a" has an invalid value; found: (hidden); expected: a boolean',
  },
  {
    name: "a param with the name of a secret",
    adapter: `parameters: dbPassword: int, resources: app: c: ${config}}`,
    params: "{dbPassword: hunter2}",
    message:
      'Parameter "dbPassword" of "test.example/a" has an invalid value; found: (hidden); expected: an integer',
  },
  {
    name: "a param that contains one with the name of a secret",
    adapter: `parameters: url: int, resources: app: c: ${config}}`,
    params: "{url: hunter2}",
    from: ["dbPassword"],
    message:
      'Parameter "url" of "test.example/a" has an invalid value; found: (hidden); expected: an integer',
  },
  {
    name: "a param from the command line",
    adapter: `parameters: size: "small" | "large", resources: app: c: ${config}}`,
    params: "{size: hunter2}",
    inline: true,
    message:
      'Parameter "size" of "test.example/a" has an invalid value; found: (hidden); It is a string that the adapter doesn\'t allow',
  },
  {
    name: "a secret part of a param",
    adapter: `parameters: db: {port: int, password: int}, resources: app: c: ${config}}`,
    params: "{db: {port: 1, password: hunter2}}",
    message:
      'Parameter "db.password" of "test.example/a" has an invalid value; found: (hidden); expected: an integer',
  },
  {
    name: "a secret default",
    adapter: `parameters: password: *"hunter2" | "hunter3", resources: app: c: ${config}}`,
    params: "{password: 5}",
    message:
      'Parameter "password" of "test.example/a" has an invalid value; found: (hidden); expected: a string',
  },
  {
    name: "a param that another one constrains",
    adapter: `parameters: {token: string, id: =~token}, resources: app: c: ${config}}`,
    params: "{token: hunter2, id: abc}",
    message:
      'Parameter "id" of "test.example/a" has an invalid value; found: (hidden); It is a string that the adapter doesn\'t allow',
  },
  {
    name: "a password next to other fields",
    adapter: `parameters: url: string, resources: app: c: ${config}, data: dbPassword: parameters.url & "x"}`,
    params: "{url: hunter2}",
    message: "Resource app/c: data.dbPassword has two different values; values: (hidden)",
  },
  {
    name: "a value for a composite",
    adapter: `parameters: text: string
      composites: [{params: n: "x-\\(parameters.text)", pattern: {parameters: n: int, resources: app: c: ${config}}}}]`,
    params: "{text: hunter2}",
    message:
      'Parameter "n" of "test.example/a → composites[0]" has an invalid value; found: (hidden); expected: an integer',
  },
  {
    name: "a secret resource of Pulumi",
    adapter: `parameters: text: string, resources: app: s: {provider: "pulumi-yaml", type: "gcp:secretmanager:SecretVersion", properties: value: parameters.text & "x"}`,
    params: "{text: hunter2}",
    message: "Resource app/s: properties.value has two different values; values: (hidden)",
  },
  {
    name: "a condition that fails on a value",
    adapter: `parameters: text: string, resources: app: {if parameters.text > 5 {c: ${config}}}}`,
    params: "{text: hunter2}",
    message:
      'Adapter "test.example/a": ">" can\'t combine a string and an integer; path: resources.app',
  },
  {
    name: "the reason of a function that rejects a secret",
    adapter: `parameters: token: time.Duration(), resources: app: c: ${config}}`,
    imported: "time",
    params: "{token: hunter2}",
    message:
      'Parameter "token" of "test.example/a" has an invalid value; found: (hidden); expected: a duration such as "5m" or "1h30m"',
  },
  {
    name: "a name that contains a secret and that Kubernetes rejects",
    adapter: `parameters: token: string, resources: app: c: {kind: "ConfigMap", apiVersion: "v1", metadata: name: parameters.token + "_"}`,
    params: "{token: hunter2}",
    message:
      'Resource app/c has the name (hidden), but Kubernetes allows only lowercase letters, digits, "-" and "."',
  },
  {
    name: "the secret name of two resources",
    adapter: `parameters: token: string, resources: app: {for id in ["a", "b"] {(id): {kind: "ConfigMap", apiVersion: "v1", metadata: name: parameters.token}}}`,
    params: "{token: hunter2}",
    message: "2 resources declare the same object; resources: app/a, app/b",
  },
  {
    name: "a long text",
    adapter: `parameters: text: int, resources: app: c: ${config}}`,
    params: `{text: ${"hunter2".repeat(10)}}`,
    message:
      'Parameter "text" of "test.example/a" has an invalid value; found: a long string; expected: an integer',
  },
  {
    name: "a list",
    adapter: `parameters: text: int, resources: app: c: ${config}}`,
    params: "{text: [hunter2]}",
    message:
      'Parameter "text" of "test.example/a" has an invalid value; found: a list; expected: an integer',
  },
];

let wasm: WebAssembly.Module;
beforeAll(async () => {
  wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
});

test.each(cases)("no problem quotes $name", (fault) => {
  const problems = compile(fault);
  expect(problems.map(factIn).join("\n")).toBe(fault.message);
  expect(problems.map(describeProblem).join("\n")).not.toContain("hunter2");
});

test("other values are quoted, so that users recognize the mistake", () => {
  const adapter = `parameters: size: int | *1, resources: app: c: ${config}}`;
  const [problem] = compile({ name: "", adapter, params: "{size: many}", message: "" });
  expect(problem && factIn(problem)).toBe(
    'Parameter "size" of "test.example/a" has an invalid value; found: "many"; expected: an integer',
  );
});

/** Returns the message of a problem, without its places and fixes. */
function factIn({ what, facts = [], why }: Problem): string {
  const evidence = facts.map(({ label, value }) => `${label}: ${value}`);
  return [what, ...evidence, ...(why === undefined ? [] : [why])].join("; ");
}

function compile({ adapter, params, inline, from = [], imported }: Case) {
  const imports = imported === undefined ? "" : `import "${imported}"\n`;
  const files = new Map([
    ["cue.mod/module.cue", 'module: "test.example"\nlanguage: version: "v0.12.0"\n'],
    ["a/main.cue", `package a\n${imports}DesignPattern: {\n${adapter}\n}\n`],
  ]);
  const modules = [{ display: "", files: { in: "memory", files } as const }];
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const bound = Object.entries(parse(params) as JsonObject).map(
    ([name, value]): BoundParam => ({ name, value, where, from, inline: inline ?? false }),
  );
  const use = { pattern: "test.example/a", params: bound, group: undefined, where };
  const request = { file: "qvs.yaml", params: [], modules: [], designPatterns: [use] };
  const result = compileConfig({ config: request, modules }, createCue(wasm, modules));
  return result.ok ? [] : result.problems;
}
