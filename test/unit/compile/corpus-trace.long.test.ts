import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { compileConfig } from "../../../src/compile/compile-config.ts";
import { type Engine, openEngine, resetEngine } from "../../../src/io/cue/engine/engine.ts";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { type Compilation, resourceKey } from "../../../src/model/sources/compilation.ts";
import { type FieldTrace, leafEntries, pathKey } from "../../../src/model/sources/trace.ts";
import { resourceContent } from "../../../src/report/diff/render-manifests.ts";
import { compileWasm } from "../../support/cue/open.ts";

/** The adapters of corpus.long.test.ts. This test checks the sources of their fields. */
const corpus = join(process.env.QVS_CORPUS ?? "", "official-cloud-native-adapters");
const available = process.env.QVS_CORPUS !== undefined && existsSync(corpus);

/**
 * Lines such as `stage/id:field  file:line ← made from | decided by`, found by reading the
 * adapters.
 */
const read: Readonly<Record<string, readonly string[]>> = {
  "kubernetes-deployment-simple": [
    "app/deployment:spec.replicas  kubernetes/deployment/simple/main.cue:38 ← replicas |",
    "app/deployment:spec.minReadySeconds  kubernetes/deployment/simple/main.cue:37 ← |",
    "app/deployment:spec.template.spec.containers.0.args.0  kubernetes/deployment/simple/main.cue:56 ← args | args",
    "app/deployment:kind  kubernetes/types.cue:40 ← |",
  ],
  "aws-public-api": [
    "app/apiDeployment:spec.replicas  adapters/kubernetes/templates/deployment.cue:94 ← replicas |",
    "app/apiDeployment:spec.template.spec.containers.0.image  adapters/kubernetes/templates/deployment.cue:190 ← imageName |",
    "app/apiDeployment:spec.strategy.rollingUpdate.maxSurge  adapters/kubernetes/templates/deployment.cue:104 ← rollingUpdateMaxSurge | rollingUpdateMaxSurge strategyType",
    "app/apiDeployment:spec.template.spec.containers.0.envFrom.0.configMapRef.name  adapters/kubernetes/templates/deployment.cue:231 ← appName configMapData | appName b64EncodedSecrets configMapData deploymentSecrets",
    "app/apiIngress:metadata.namespace  adapters/kubernetes/templates/ingressForAws.cue:25 ← k8sNamespace | useIngress",
  ],
  "gcp-api-backend": [
    "app/aRecord:properties.name  adapters/gcp/container/kubernetes/apiBackend/main.cue:162 ← dnsARecordSubdomain |",
    "app/deployment:spec.replicas  adapters/gcp/container/kubernetes/apiBackend/main.cue:431 ← replicas |",
    "app/externalSecret:metadata.namespace  adapters/gcp/container/kubernetes/apiBackend/main.cue:358 ← k8sNamespace | mysqlInstanceIpAddress secrets",
  ],
  "azure-api-backend": [
    "app/ingress:spec.rules.0.host  adapters/azure/container/kubernetes/apiBackend/main.cue:257 ← host |",
    "app/deployment:spec.template.spec.containers.0.image  adapters/azure/container/kubernetes/apiBackend/main.cue:369 ← imageName |",
    "app/aRecord:properties.zoneName  adapters/azure/container/kubernetes/apiBackend/main.cue:167 ← azureDnsZoneName |",
  ],
};

describe.skipIf(!available)("traces of the official corpus", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = openEngine(await compileWasm(), modules);
  });

  it.each(Object.entries(read))("the traced fields of %s have their values", (name, expected) => {
    const compilation = compile(engine, ...caseOf(name));
    const lines = (compilation?.trace ?? []).flatMap(({ resource, fields }) =>
      fields.map((field) => lineOf(resource, field)),
    );
    const expectedFields = new Set(expected.map((line) => line.split("  ")[0]));
    expect(lines.filter((line) => expectedFields.has(line.split("  ")[0])).sort()).toEqual(
      expected.toSorted(),
    );
  });

  it.each(Object.keys(read))(
    "in %s, every field that an argument affects names the argument",
    (name) => {
      const [pattern, params] = caseOf(name);
      const before = compile(engine, pattern, params) as Compilation;
      for (const argument of Object.keys(params)) {
        const { [argument]: value = null, ...others } = params;
        const after = compile(engine, pattern, { ...others, [argument]: changed(value) });
        // Some other values are invalid.
        if (after === undefined) continue;
        expect([...unnamed(before, after, argument), ...unnamed(after, before, argument)]).toEqual(
          [],
        );
      }
    },
  );
});

const modules = [{ display: "", files: { in: "directory", directory: corpus } }] as const;

function caseOf(name: string): readonly [pattern: string, params: JsonObject] {
  const { pattern, params } = parse(
    readFileSync(join(import.meta.dirname, "../../support/corpus", `${name}.yaml`), "utf8"),
  ) as { pattern: string; params: JsonObject };
  return [pattern, params];
}

function compile(engine: Engine, pattern: string, params: JsonObject): Compilation | undefined {
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const bound = Object.entries(params).map(([name, value]) => ({ name, value, where, from: [] }));
  const use = { pattern, group: undefined, params: bound, where };
  const config = { file: "qvs.yaml", params: [], modules: [], designPatterns: [use] };
  const { cue } = resetEngine(engine, () => {});
  const result = compileConfig({ config, modules, trace: true }, cue);
  return result.ok ? result.value : undefined;
}

function lineOf(resource: string, { path, origins }: FieldTrace): string {
  const places = origins.flatMap(({ at }) => at.map(({ file, line }) => `${file}:${line}`));
  const [made, decided] = [
    origins.flatMap((origin) => origin.made),
    origins.flatMap((origin) => origin.decided),
  ].map((uses) => [...new Set(uses.map((use) => use.name))].sort().join(" "));
  return `${resource}:${path.join(".")}  ${places.join(", ")} ← ${made} | ${decided}`
    .replace("←  |", "← |")
    .trimEnd();
}

/** Returns another value of the same type. */
function changed(value: Json): Json {
  if (typeof value === "string") return /^\d+$/.test(value) ? `${Number(value) + 1}` : `${value}x`;
  if (Array.isArray(value)) return value.map(changed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, changed(item)]));
}

/**
 * Returns the changed fields that don't name the argument in their trace. A resource whose id
 * depends on the argument is ignored.
 */
function unnamed(of: Compilation, other: Compilation, argument: string): readonly string[] {
  return of.resources.flatMap((resource) => {
    const key = resourceKey(resource);
    const twin = other.resources.find((each) => resourceKey(each) === key);
    if (twin === undefined) return [];
    const values = new Map(
      leafEntries(resourceContent(twin)).map(([path, v]) => [pathKey(path), v]),
    );
    const fields = of.trace?.find((each) => each.resource === key)?.fields ?? [];
    return leafEntries(resourceContent(resource)).flatMap(([path, value], index) => {
      const known = fields[index]?.origins.flatMap(({ made, decided }) => [...made, ...decided]);
      const isNamed = known?.some(({ name }) => name === argument) === true;
      const isSame = JSON.stringify(values.get(pathKey(path))) === JSON.stringify(value);
      return isSame || isNamed ? [] : [`${argument} → ${key}:${path.join(".")}`];
    });
  });
}
