import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { compileConfig } from "../../../src/compile/compile-config.ts";
import { sampleRequest } from "../../../src/compile/sample-request.ts";
import { starterAdapter } from "../../../src/init/starter-adapter.ts";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { Result } from "../../../src/model/problems/problem.ts";
import type { Compilation } from "../../../src/model/sources/compilation.ts";
import type { BoundParam, DesignPatternUse } from "../../../src/model/sources/config.ts";
import { describeProblem } from "../../support/describe-problem.ts";

/** Adapters of one module, by file. Every package is imported as `test.example/DIRECTORY`. */
type Adapters = Readonly<Record<string, string>>;

interface Case {
  readonly name: string;
  readonly adapters: Adapters;
  /** YAML: a list of {pattern, params, group}. */
  readonly use: string;
  /** `stage/id: manifest as YAML flow`, one per line, or the problems as text. */
  readonly expected: string;
}

const base = `
#Object: {provider: "kubernetes", apiVersion: string, kind: string, metadata: {name: string, ...}, ...}
#ConfigMap: #Object & {apiVersion: "v1", kind: "ConfigMap"}
`;

const cases: readonly Case[] = [
  {
    name: "a param is in the manifest, but provider and output aren't",
    adapters: {
      web: `
        DesignPattern: {
          parameters: {name: string, port: int | *80}
          resources: app: web: #ConfigMap & {metadata: name: parameters.name, data: port: "\\(parameters.port)", output: ["x"]}
        }`,
    },
    use: "[{pattern: web, params: {name: shop}}]",
    expected:
      'app/web: {"apiVersion":"v1","data":{"port":"80"},"kind":"ConfigMap","metadata":{"name":"shop"}}',
  },
  {
    name: "an id that two adapters declare is one resource with both sets of fields",
    adapters: {
      a: `DesignPattern: resources: app: it: #ConfigMap & {metadata: name: "it", data: a: "1"}`,
      b: `DesignPattern: resources: app: it: {metadata: labels: team: "b", ...}`,
    },
    use: "[{pattern: a}, {pattern: b}]",
    expected:
      'app/it: {"apiVersion":"v1","data":{"a":"1"},"kind":"ConfigMap","metadata":{"labels":{"team":"b"},"name":"it"}}',
  },
  {
    name: "a composite gets its params from the adapter, at any depth",
    adapters: {
      leaf: `DesignPattern: {parameters: name: string, resources: app: leaf: #ConfigMap & {metadata: name: parameters.name}}`,
      branch: `import "test.example/leaf"
        DesignPattern: {
          parameters: name: string
          composites: [{pattern: leaf.DesignPattern, params: name: "\\(parameters.name)-leaf"}]
        }`,
      tree: `import "test.example/branch"
        DesignPattern: {
          parameters: name: string
          composites: [{pattern: branch.DesignPattern, params: name: "\\(parameters.name)-branch"}]
        }`,
    },
    use: "[{pattern: tree, params: {name: oak}}]",
    expected:
      'app/leaf: {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"oak-branch-leaf"}}',
  },
  {
    name: "a group separates ids, and composites of one group share theirs",
    adapters: {
      a: `DesignPattern: {parameters: n: string, resources: app: it: #ConfigMap & {metadata: name: parameters.n}}`,
      b: `DesignPattern: resources: app: it: {metadata: labels: group: "yes", ...}`,
      both: `import ("test.example/a", "test.example/b")
        DesignPattern: {
          composites: [
            {pattern: a.DesignPattern, params: n: "left", group: "left"},
            {pattern: a.DesignPattern, params: n: "right", group: "right"},
            {pattern: b.DesignPattern, group: "right"},
          ]
        }`,
    },
    use: "[{pattern: both}]",
    expected: `
      app/left/it: {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"left"}}
      app/right/it: {"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"group":"yes"},"name":"right"}}`,
  },
  {
    name: "defer sees the composed resources and adds to them",
    adapters: {
      leaf: `DesignPattern: resources: app: leaf: #ConfigMap & {metadata: name: "leaf"}`,
      team: `import "test.example/leaf"
        DesignPattern: {
          parameters: team: string
          composites: [{pattern: leaf.DesignPattern}]
          resources: app: own: #ConfigMap & {metadata: name: "own"}
          defer: app: {for id, _ in resources.app {"\\(id)": metadata: labels: team: parameters.team}}
        }`,
    },
    use: "[{pattern: team, params: {team: a}}]",
    expected: `
      app/leaf: {"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"team":"a"},"name":"leaf"}}
      app/own: {"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"team":"a"},"name":"own"}}`,
  },
  {
    name: "an adapter that is used twice with different params needs a group",
    adapters: {
      a: `DesignPattern: {parameters: n: string, resources: app: it: #ConfigMap & {metadata: name: parameters.n}}`,
    },
    use: "[{pattern: a, params: {n: left}}, {pattern: a, params: {n: right}}]",
    expected: `
      qvs.yaml:1:1: Adapter "test.example/a" is used twice with different values
        and qvs.yaml:2:1
        resources: app/it
        path: metadata.name
        why: Both uses produce the same resources
        → Add \`group: NAME\` next to pattern in one of them: it separates their resources and doesn't rename objects
          or give both uses the same params if they mean the same objects`,
  },
  {
    name: "an undecidable condition is a problem instead of a missing resource",
    adapters: {
      a: `DesignPattern: {
        parameters: {name: string, debug?: bool}
        resources: app: {
          it: #ConfigMap & {metadata: name: parameters.name}
          if parameters.debug {extra: #ConfigMap & {metadata: name: "extra"}}
        }
      }`,
    },
    use: "[{pattern: a, params: {name: x}}]",
    expected: "PROBLEM resources.app",
  },
  {
    name: "a function that rejects its argument is a problem with its place",
    adapters: {
      a: `import "strconv"
        DesignPattern: {
          parameters: port: string
          resources: app: {if strconv.Atoi(parameters.port) > 3 {it: #ConfigMap & {metadata: name: "it"}}}
        }`,
    },
    use: "[{pattern: a, params: {port: abc}}]",
    expected:
      'PROBLEM a/main.cue:5:31: Adapter "test.example/a": strconv.Atoi has no result\n  and qvs.yaml:1:1\n  path: resources.app\n',
  },
  {
    name: "an adapter with only pipelines compiles to nothing",
    adapters: { ci: `DesignPattern: {parameters: needed: string, pipelines: build: {}}` },
    use: "[{pattern: ci}]",
    expected: "",
  },
  {
    name: "Pulumi's Kubernetes types become manifests, and all others one program",
    adapters: {
      p: `DesignPattern: resources: app: {
        ns: {provider: "pulumi-yaml", type: "kubernetes:core/v1:Namespace", properties: metadata: name: "n"}
        ip: {provider: "pulumi-yaml", type: "gcp:compute:Address", properties: name: "ip"}
      }`,
    },
    use: "[{pattern: p}]",
    expected: `
      app/ip: (pulumi-yaml) {"properties":{"name":"ip"},"provider":"pulumi-yaml","type":"gcp:compute:Address"}
      app/ns: {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}}
      Pulumi.yaml: {"name":"application","resources":{"ip":{"properties":{"name":"ip"},"type":"gcp:compute:Address"}},"runtime":"yaml"}`,
  },
];

describe("compileConfig", () => {
  let wasm: WebAssembly.Module;
  beforeAll(async () => {
    wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
  });

  it("compiles the request that warms up an engine", () => {
    const sample = sampleRequest(starterAdapter);
    const compiled = compileConfig(sample, createCue(wasm, sample.modules));
    expect(compiled).toMatchObject({ ok: true, value: { warnings: [] } });
    expect(compiled.ok && compiled.value.resources.map(({ id }) => id)).toEqual([
      ...["namespace", "deployment", "service", "settings"],
    ]);
  });

  it.each(cases)("$name", ({ adapters, use, expected }) => {
    const text = describeResult(compile(wasm, adapters, use));
    if (expected.startsWith("PROBLEM ")) expect(text).toContain(expected.slice("PROBLEM ".length));
    else expect(text).toBe(dedent(expected));
  });

  it("returns the same result for any order of the designPatterns", () => {
    const adapters = {
      a: `DesignPattern: resources: app: it: #ConfigMap & {metadata: name: "it", data: a: "1"}`,
      b: `DesignPattern: resources: app: it: {metadata: labels: team: "b", ...}`,
    };
    const forth = compile(wasm, adapters, "[{pattern: a}, {pattern: b}]");
    const back = compile(wasm, adapters, "[{pattern: b}, {pattern: a}]");
    expect(describeResult(forth)).toBe(describeResult(back));
  });
});

function compile(wasm: WebAssembly.Module, adapters: Adapters, use: string): Result<Compilation> {
  const files = new Map([
    ["cue.mod/module.cue", 'module: "test.example"\nlanguage: version: "v0.12.0"\n'],
  ]);
  for (const [name, source] of Object.entries(adapters)) {
    files.set(`${name}/main.cue`, `package ${name}\n${source}`);
    files.set(`${name}/base.cue`, `package ${name}\n${base}`);
  }
  const modules = [{ display: "", files: { in: "memory", files } as const }];
  const designPatterns = (parse(use) as readonly WrittenUse[]).map(toUse);
  const config = { file: "qvs.yaml", params: [], modules: [], designPatterns };
  return compileConfig({ config, modules }, createCue(wasm, modules));
}

interface WrittenUse {
  readonly pattern: string;
  readonly params?: JsonObject;
  readonly group?: string;
}

/** Creates a use with its own line, so that messages can distinguish the uses. */
function toUse({ pattern, params, group }: WrittenUse, index: number): DesignPatternUse {
  const where = { file: "qvs.yaml", line: index + 1, column: 1 };
  const bound = Object.entries(params ?? {}).map(
    ([name, value]): BoundParam => ({ name, value, where, from: [] }),
  );
  return { pattern: `test.example/${pattern}`, params: bound, group, where };
}

function describeResult(result: Result<Compilation>): string {
  if (!result.ok) return result.problems.map(describeProblem).join("\n");
  const { resources, pulumi } = result.value;
  const lines = resources.map((resource) => {
    const content = resource.type === "manifest" ? resource.object : resource.content;
    const provider = resource.type === "foreign" ? `(${resource.provider}) ` : "";
    return `${resource.stage}/${resource.id}: ${provider}${sorted(content)}`;
  });
  if (pulumi !== undefined) lines.push(`Pulumi.yaml: ${sorted(pulumi)}`);
  return lines.join("\n");
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, each) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function dedent(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const indent = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(indent)).join("\n");
}
