import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCompiler } from "../../../src/io/cue/compiler.ts";
import { isObject, type Json, type JsonObject } from "../../../src/model/json.ts";
import type { Resource } from "../../../src/model/sources/compilation.ts";
import { buildTools } from "../../support/cluster/build.ts";
import {
  type Expected,
  isAvailable,
  modulePath,
  requestFor,
  table,
  written,
} from "../../support/corpus/official.ts";
import { type NativeCue, nativeCue } from "./native-cue.ts";

/**
 * Compares the program with the real `cue` on the same adapters, with the same params, bindings and
 * composition written in CUE. The native result is first converted, according to the documented
 * differences:
 *
 * 1. `provider` and `output` of Kubernetes manifests are removed;
 * 2. bytes are strings (`cue` exports them to YAML as `!!binary`);
 * 3. Pulumi's Kubernetes types become manifests: their properties, with apiVersion and kind from
 * the list below.
 */
const kubernetesTypes: Readonly<Record<string, JsonObject>> = {
  "kubernetes:apps/v1:Deployment": { apiVersion: "apps/v1", kind: "Deployment" },
  "kubernetes:core/v1:Service": { apiVersion: "v1", kind: "Service" },
  "kubernetes:core/v1:Namespace": { apiVersion: "v1", kind: "Namespace" },
  "kubernetes:core/v1:ServiceAccount": { apiVersion: "v1", kind: "ServiceAccount" },
  "kubernetes:networking.k8s.io/v1:Ingress": {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
  },
  "kubernetes:apiextensions.k8s.io:CustomResource": {},
};

const versions = [
  { version: "v0.17.1, the one that the engine is made of", tool: "cue", hasListArithmetic: false },
  { version: "v0.10.1, the last with list arithmetic", tool: "cue-v0.10", hasListArithmetic: true },
] as const;

/** Cases with the fewest params, and with the params of the written manifests. */
const rows: readonly (Expected & { readonly which: string })[] = [
  ...table
    .filter(({ nothing }) => nothing === undefined)
    .map((row) => ({ ...row, which: row.pattern })),
  ...written.map(({ file, pattern, params }) => {
    const row = table.find((each) => `${modulePath}/${each.pattern}` === pattern);
    if (row === undefined) throw new Error(`${file} uses ${pattern}, which is not in the table`);
    return { ...row, params, which: `${row.pattern} with the params of ${file}` };
  }),
];

describe.skipIf(!isAvailable).each(versions)("cue $version", ({ tool, hasListArithmetic }) => {
  const compiler = createCompiler({
    script: new URL("../../../src/compile-worker.ts", import.meta.url),
    wasm: new URL("../../../dist/cue.wasm.zst", import.meta.url),
  });
  let cue: NativeCue;
  beforeAll(async () => {
    cue = await nativeCue((await buildTools(tool)).path("cue"));
  });
  afterAll(async () => {
    await Promise.all([compiler.close(), cue.remove()]);
  });

  it.each(rows)("agrees about $which", async (row) => {
    const [pattern, params] = [`${modulePath}/${row.pattern}`, row.params ?? {}];
    const native = await cue.export(pattern, params);
    if (row.refused !== undefined) return expect(native).toMatchObject({ ok: false });
    if (row.lists !== undefined && !hasListArithmetic) {
      return expect(native).toMatchObject({ message: expect.stringContaining("list.Concat") });
    }
    const compiled = await compiler.compile(requestFor(pattern, params));
    if (!native.ok || !compiled.ok) throw new Error(JSON.stringify([native, compiled], null, 2));
    expect(ours(compiled.value.resources)).toEqual(documented(native.resources));
  });
});

function ours(resources: readonly Resource[]): Json {
  const contents = resources.map((each) => [
    `${each.stage}/${each.id}`,
    each.type === "manifest" ? each.object : each.content,
  ]);
  return Object.fromEntries(contents);
}

function documented(resources: JsonObject): Json {
  const contents = Object.entries(resources).flatMap(([stage, byId]) =>
    Object.entries(isObject(byId) ? byId : {}).map(([id, resource]) => [
      `${stage}/${id}`,
      documentedForm(resource as JsonObject),
    ]),
  );
  return Object.fromEntries(contents);
}

function documentedForm(resource: JsonObject): JsonObject {
  const { provider, output: _output, ...object } = resource;
  if (provider === "kubernetes" || provider === undefined) return object;
  const { type, properties } = resource;
  const translated = kubernetesTypes[String(type)];
  if (translated === undefined || !isObject(properties)) return resource;
  return { ...properties, ...translated };
}
