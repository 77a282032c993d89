import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { startCompiler } from "../../support/cue/native.ts";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { runHere } from "../../support/qvs/run-here.ts";

/**
 * Tests names with a meaning for a file system, JavaScript, a terminal, or the runner of a
 * workflow.
 */
const compiler = startCompiler();
afterAll(() => compiler.close());

function repositoryWith(adapter: string, params = "{}", config = ".valuestream/qvs.yaml") {
  return temporaryRepository({
    [config]: `modules: [{name: a.example/m, local: {path: ../adapters}}]
designPatterns: [{pattern: a.example/m/a, params: ${params}}]
`,
    "adapters/cue.mod/module.cue": 'module: "a.example/m"\nlanguage: version: "v0.12.0"\n',
    "adapters/a/a.cue": `package a\n${adapter}\n`,
  });
}

function configMap(name: string, data: string): string {
  return `{apiVersion: "v1", kind: "ConfigMap", metadata: name: "${name}", data: ${data}}`;
}

const ids = [
  ...["../../etc/passwd", "/etc/passwd", ".", "..", "", "con", "a/../../b", "a//b", ".hidden"],
  ...["a\u0000b", "a\nb", "a\\b", "__proto__", "constructor", "toString", "a.yaml", "A", "a", "ä"],
  ...["\u001b[31m", "::error::x", "\u202eexe", "web.yaml/x", "web", "-rf", "~", "$(ref.a.b)"],
];

test("every resource id is one file below the directory, whatever its characters", async () => {
  const resources = ids.map((id, i) => `${JSON.stringify(id)}: ${configMap(`n${i}`, '{x: "1"}')}`);
  const { directory } = repositoryWith(
    `DesignPattern: resources: app: {\n${resources.join("\n")}\n}`,
  );
  const before = readdirSync(join(directory, ".."), { recursive: true }).length;
  const { code, stderr } = await runHere(directory, ["compile", "-o", "out"], compiler);
  expect(stderr).toBe(`Wrote ${ids.length + 1} files to out\n`);
  expect(code).toBe(0);
  const written = readdirSync(join(directory, "out"), { recursive: true, withFileTypes: true });
  expect(written.filter((entry) => entry.isFile())).toHaveLength(ids.length + 2);
  const all = readdirSync(join(directory, ".."), { recursive: true }).length;
  expect(all - before).toBe(written.length + 1);
});

test("an id that no file system accepts is an error with a fix", async () => {
  const adapter = `DesignPattern: resources: app: "${"x".repeat(300)}": ${configMap("a", '{x: "1"}')}`;
  const { directory } = repositoryWith(adapter);
  const { code, stderr } = await runHere(directory, ["compile", "-o", "out"], compiler);
  expect(stderr).toContain("error: ENAMETOOLONG");
  expect(code).toBe(1);
});

const special = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "valueOf"];

test("fields named like JavaScript properties are kept from the config to the manifest", async () => {
  const map = special.map((name) => `"${name}": "v-${name}"`).join(", ");
  const adapter = `DesignPattern: {
    parameters: {all: {...}, ${special.map((name) => `"${name}": string`).join(", ")}}
    resources: app: c: ${configMap("c", "parameters.all")}
    resources: app: c: metadata: labels: {for k, v in parameters if k != "all" {(k): v}}
    defer: app: c: metadata: annotations: ${`{${map}}`}
  }`;
  const { directory } = repositoryWith(adapter, `{all: {${map}}, ${map}}`);
  for (const format of ["yaml", "json"]) {
    const result = await runHere(directory, ["compile", "--format", format], compiler);
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: "" });
    const object =
      format === "json"
        ? JSON.parse(result.stdout).stages.app.c
        : parseAllDocuments(result.stdout)[0]?.toJS();
    for (const part of [object.data, object.metadata.labels, object.metadata.annotations]) {
      expect(Object.entries(part).sort()).toEqual(
        special.map((name) => [name, `v-${name}`]).sort(),
      );
    }
  }
});

test("ids, params, types and names like JavaScript properties work", async () => {
  const resources = special.map((id, i) => `"${id}": ${configMap(`n${i}`, "{x: parameters.x}")}`);
  const { directory, write } = repositoryWith(
    `DesignPattern: {parameters: x: string, resources: app: {${resources.join(", ")}}}`,
    '{x: "$(params.__proto__)$(params.constructor)"}',
  );
  write(
    ".valuestream/qvs.yaml",
    `params: [{name: __proto__, type: string}, {name: constructor, type: string}]
modules: [{name: a.example/m, local: {path: ../adapters}}]
designPatterns: [{pattern: a.example/m/a, group: __proto__, params: {x: "$(params.__proto__)$(params.constructor)"}}]
`,
  );
  write("params.yaml", "__proto__: a\nconstructor: b\n");
  const args = ["compile", "--params", "params.yaml", "--format", "json"];
  const { code, stdout, stderr } = await runHere(directory, args, compiler);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { app } = JSON.parse(stdout).stages;
  expect(Object.keys(app).sort()).toEqual(special.map((id) => `__proto__/${id}`).sort());
  expect(Object.values<{ data: object }>(app).map(({ data }) => data)).toEqual(
    special.map(() => ({ x: "ab" })),
  );
});

test.each([
  ["a param's type", "params: [{name: a, type: constructor}]\ndesignPatterns: []"],
  ["a key", "__proto__: 1\nconstructor: 2\ndesignPatterns: []"],
  [
    "a param that is not declared",
    'designPatterns: [{pattern: a.example/m/a, params: {x: "$(params.__proto__)"}}]',
  ],
])("%s named like a JavaScript property is rejected", async (_, text) => {
  const { directory, write } = repositoryWith("DesignPattern: resources: {}");
  write(
    ".valuestream/qvs.yaml",
    `modules: [{name: a.example/m, local: {path: ../adapters}}]\n${text}\n`,
  );
  const { code, stderr } = await runHere(directory, ["compile"], compiler);
  expect(stderr).toContain(".valuestream/qvs.yaml:2:");
  expect(code).toBe(1);
});

const rude =
  "x\n::set-output name=a::b\n::error::c\u001b[2J\u001b]0;t\u0007\u202e##[error]d\r::add-mask::e";

test.each([
  ["an id", `DesignPattern: resources: app: ${JSON.stringify(rude)}: {}`],
  [
    "a name",
    `DesignPattern: composites: [{pattern: {name: ${JSON.stringify(rude)}, parameters: a: string, resources: {}}}]`,
  ],
  ["a field", `DesignPattern: resources: app: c: ${JSON.stringify(rude)}: string`],
  ["a parameter", `DesignPattern: {parameters: ${JSON.stringify(rude)}: string, resources: {}}`],
])("%s sends no commands to the terminal in messages", async (_, adapter) => {
  const { directory } = repositoryWith(adapter);
  const { code, stderr } = await runHere(directory, ["compile"], compiler);
  expect(code).toBe(1);
  expectPlain(stderr);
});

test("a file name sends no commands to the terminal in messages", async () => {
  const { directory } = repositoryWith(
    "",
    "{}",
    `.valuestream/qvs${rude.replaceAll("/", "")}.yaml`,
  );
  const { code, stderr } = await runHere(directory, ["compile"], compiler);
  expect(code).toBe(1);
  expectPlain(stderr);
});

function expectPlain(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  expect(text).not.toMatch(/^\s*::|##\[/m);
  expect(text).toContain("set-output");
}
