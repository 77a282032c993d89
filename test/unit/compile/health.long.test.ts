import { beforeAll, describe, expect, it } from "vitest";
import { compileConfig } from "../../../src/compile/compile-config.ts";
import { parseConfig } from "../../../src/config/parse-config.ts";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import { describeProblem } from "../../support/describe-problem.ts";

const widget = `DesignPattern: resources: app: it: {apiVersion: "acme.example/v1", kind: "Widget", metadata: name: "it"}`;
const rule = (current: string) =>
  `DesignPattern: health: [{apiVersion: "acme.example/v1", kind: "Widget", current: "${current}"}]`;
const definition = `DesignPattern: resources: app: crd: {
  apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: name: "widgets.acme.example"
  spec: {group: "acme.example", names: {kind: "Widget", plural: "widgets"}, scope: "Namespaced", versions: [
    {name: "v1", served: true, storage: true, schema: openAPIV3Schema: properties: status: properties: phase: type: "string"}]}
}`;

let wasm: WebAssembly.Module;
beforeAll(async () => {
  wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
});

/**
 * Compiles adapters of the packages a, b … with `health` of the config. Returns rules or problems.
 */
function compile(adapters: readonly string[], health = ""): string {
  const names = ["a", "b", "c"].slice(0, adapters.length);
  const files = new Map([
    ["cue.mod/module.cue", 'module: "test.example"\nlanguage: version: "v0.12.0"\n'],
    ...adapters.map(
      (text, index) => [`${names[index]}/main.cue`, `package ${names[index]}\n${text}`] as const,
    ),
  ]);
  const uses = names.map((name) => `  - pattern: test.example/${name}\n`).join("");
  const modulesYaml = "modules:\n  - name: test.example\n    local: {path: .}\n";
  const parsed = parseConfig("qvs.yaml", `${modulesYaml}designPatterns:\n${uses}${health}`);
  if (!parsed.ok) return parsed.problems.map(describeProblem).join("\n");
  const designPatterns = parsed.value.designPatterns.map(({ pattern, where }) => ({
    ...{ pattern, where, params: [], group: undefined },
  }));
  const { checks: _checks, ...rest } = parsed.value;
  const config = { ...rest, designPatterns };
  const modules = [{ display: "", files: { in: "memory", files } as const }];
  const compiled = compileConfig({ config, modules }, createCue(wasm, modules));
  if (!compiled.ok) return compiled.problems.map(describeProblem).join("\n");
  return (compiled.value.health ?? [])
    .map(({ groups, kinds, current, source }) => `${groups}/${kinds} ${source}: ${current}`)
    .join("\n");
}

const inConfig = (current: string) =>
  `health:\n  - apiVersion: acme.example/v1\n    kind: Widget\n    current: ${current}\n`;

describe("health rules", () => {
  it("of an adapter and its composites are collected", () => {
    const outer = `import "test.example/a"\nDesignPattern: composites: [{pattern: a.DesignPattern}]`;
    expect(compile([`${widget}\n${rule("true")}`, outer])).toBe(
      "acme.example/Widget a/main.cue:3: true",
    );
  });

  it("of the config win over those of adapters", () => {
    expect(compile([`${widget}\n${rule("true")}`], inConfig("status.ok"))).toBe(
      "acme.example/Widget qvs.yaml:7: status.ok",
    );
  });

  it("of two adapters can be equal", () => {
    expect(compile([widget, rule("true"), rule("true")])).toContain("acme.example/Widget");
  });

  it("of two adapters that differ are an error with both places", () => {
    const problems = compile([widget, rule("true"), rule("false")]);
    expect(problems).toContain("Widget has two different health rules");
    expect(problems).toContain("b/main.cue:2");
    expect(problems).toContain("c/main.cue:2");
  });

  it.each([
    [
      "status.phase == 'Ready' &&",
      "The expression current in the health rule of Widget is invalid",
    ],
    ["statuss.phase == 'Ready'", 'reads the unknown variable "statuss"'],
    ["statuss.phase == 'Ready'", 'Did you mean "status"?'],
    ["status.phse == 'Ready'", 'reads the unknown field "status.phse"'],
    ["status.phse == 'Ready'", 'Did you mean "phase"?'],
    ["size(status.phase)", "its value has the type int instead of bool"],
  ])("in the config are checked: %s", (current, expected) => {
    const problems = compile([widget, definition], inConfig(current));
    expect(problems).toContain(expected);
    expect(problems).toContain("qvs.yaml:10");
  });

  it("with a field of another schema are unchecked", () => {
    expect(compile([widget], inConfig("status.phse == 'Ready'"))).toContain("acme.example/Widget");
  });

  it.each([
    [
      `DesignPattern: health: [{kind: "Widget", current: "true"}]`,
      'it lacks the field "apiVersion"',
    ],
    [
      `DesignPattern: health: [{apiVersion: "a/v1", kind: "W", current: true}]`,
      'its field "current" isn\'t a string',
    ],
    [
      `DesignPattern: health: [{apiVersion: "a/v1", kind: "W", ready: "x", current: "true"}]`,
      'it has the unknown field "ready"',
    ],
  ])("of an adapter have a form: %s", (text, expected) => {
    expect(compile([widget, text])).toContain(expected);
  });
});
