import { compileConfig } from "../../../src/compile/compile-config.ts";
import { createCue } from "../../../src/io/cue/engine/engine.ts";
import type { Json } from "../../../src/model/json.ts";
import { failed, type Result } from "../../../src/model/problems/problem.ts";
import { type Compilation, resourceKey } from "../../../src/model/sources/compilation.ts";
import type { ConfigSource } from "../../../src/ports/world.ts";
import { resourceContent } from "../../../src/report/diff/render-manifests.ts";
import { compileDeployment } from "../../../src/sources/compile-deployment.ts";
import { createParamLookup } from "../../../src/sources/undeclared-params.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";

/** One rule of the specification, with the smallest config and adapters that show it. */
export interface Rule {
  /** A sentence of the specification, or a consequence of one. */
  readonly name: string;
  /** Adapters by package, `spec.example/PACKAGE`. Each can use #ConfigMap. */
  readonly adapters: Readonly<Record<string, string>>;
  /** Other files by path, without additions. */
  readonly others?: Readonly<Record<string, string>>;
  /** The QVS config starting at `designPatterns`; default: the package `it` without params. */
  readonly use?: string;
  /** `params` of the QVS config, as an object of names and types. */
  readonly declare?: Readonly<Record<string, string>>;
  /** Params files, in order. */
  readonly files?: readonly string[];
  readonly inline?: readonly string[];
  /** `stage/id = JSON` by line, then warnings after `!`; or the problems. */
  readonly expected: string;
}

const base = `
#Object: {provider: "kubernetes", apiVersion: string, kind: string, metadata: {name: string, ...}, ...}
#ConfigMap: #Object & {apiVersion: "v1", kind: "ConfigMap"}
`;

/** Compiles the text of a config to manifests, with files in memory and the real engine. */
export async function compileRule(rule: Rule, wasm: WebAssembly.Module): Promise<string> {
  const deployment = plainDeployment({
    name: "it",
    params: (rule.files ?? []).map((_, index) => `params${index}.yaml`),
    namespace: "default",
  });
  const compiled = await compileDeployment(
    sourceOf(rule, wasm),
    deployment,
    rule.inline ?? [],
    "deploy",
  );
  if (!compiled.ok) return compiled.problems.map(describeProblem).join("\n");
  return describe(compiled.value.compilation);
}

const never = () => Promise.reject(new Error("The test doesn't need this."));
const unusedFunctions = {
  ...{ compileCached: never, describe: never, list: never },
  ...{ render: never, renderChart: never },
};

export function sourceOf(rule: Rule, wasm: WebAssembly.Module): ConfigSource {
  const files = filesOf(rule);
  const tree: ConfigSource["tree"] = {
    read: async (path) => files.get(path),
    readBytes: never,
    list: async () => [...files.keys()],
    folder: async () => ({ in: "memory", files }),
    linkedPaths: async (path) => [path],
    omitted: async () => [],
    trackedByLfs: async () => [],
  };
  return {
    tree,
    declaredParams: createParamLookup(tree),
    modules: {
      fetch: async () => failed([]),
      fetchRepository: async () => failed([]),
      versions: async () => failed([]),
    },
    charts: { fetch: async () => failed([]), versions: async () => failed([]) },
    compiler: {
      compile: async (request): Promise<Result<Compilation>> =>
        compileConfig(request, createCue(wasm, request.modules)),
      ...unusedFunctions,
      close: async () => {},
    },
  };
}

function filesOf({ adapters, others, use, declare, files }: Rule): ReadonlyMap<string, string> {
  const params = Object.entries(declare ?? {}).map(([name, type]) => ({ name, type }));
  const config = [
    `params: ${JSON.stringify(params)}`,
    "modules: [{name: spec.example, local: {path: .}}]",
    use ?? "designPatterns: [{pattern: spec.example/it}]",
  ];
  const sources = Object.entries(adapters).flatMap(([name, source]) => [
    [`${name}/main.cue`, `package ${name}\n${source}`] as const,
    [`${name}/base.cue`, `package ${name}\n${base}`] as const,
  ]);
  return new Map([
    ["cue.mod/module.cue", 'module: "spec.example"\nlanguage: version: "v0.12.0"\n'],
    ["qvs.yaml", config.join("\n")],
    ...(files ?? []).map((text, index) => [`params${index}.yaml`, text] as const),
    ...sources,
    ...Object.entries(others ?? {}),
  ]);
}

function describe(compilation: Compilation): string {
  const { resources, pulumi, warnings } = compilation;
  const lines = resources.map((resource) => {
    const provider = resource.type === "foreign" ? ` (${resource.provider})` : "";
    const after = resource.type === "manifest" ? resource.dependsOn : [];
    const waits = after.length === 0 ? "" : ` after ${after.join(", ")}`;
    return `${resourceKey(resource)}${provider} = ${sorted(resourceContent(resource))}${waits}`;
  });
  if (pulumi !== undefined) lines.push(`Pulumi.yaml = ${sorted(pulumi)}`);
  return [...lines, ...warnings.map((warning) => `! ${describeProblem(warning)}`)].join("\n");
}

/** Returns sorted JSON without the fields that every manifest here has. */
function sorted(value: Json): string {
  const text = JSON.stringify(value, (_key, each) =>
    each !== null && typeof each === "object" && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
  return text.replace('"apiVersion":"v1",', "").replace('"kind":"ConfigMap",', "");
}
