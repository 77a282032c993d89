import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createCompiler } from "../../src/io/cue/compiler.ts";
import type { Manifest } from "../../src/model/compilation.ts";
import { isObject, type Json, type JsonObject } from "../../src/model/json.ts";

/**
 * Real adapters against manifests that were written by reading them. The adapters are not part of this project:
 * QVS_CORPUS names the folder that holds them; without it these tests are skipped.
 */
const corpus = join(process.env["QVS_CORPUS"] ?? "", "official-cloud-native-adapters");
const available = process.env["QVS_CORPUS"] !== undefined && existsSync(corpus);
const cases = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".yaml"));

interface Case {
  readonly pattern: string;
  readonly params: JsonObject;
  readonly expected: JsonObject;
  readonly dependsOn?: JsonObject;
  readonly pulumi?: JsonObject;
}

describe.skipIf(!available)("adapters of the official corpus", () => {
  const compiler = createCompiler({
    script: new URL("../../src/compile-worker.ts", import.meta.url),
    wasm: new URL("../../dist/cue.wasm.zst", import.meta.url),
  });
  afterAll(() => compiler.close());

  it.each(cases)("%s compiles to the manifests that its adapter describes", async (file) => {
    const wanted = parse(readFileSync(join(import.meta.dirname, file), "utf8")) as Case;
    const compiled = await compiler.compile(requestFor(wanted));
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems, null, 2));
    const { resources, pulumi } = compiled.value;
    const manifests = resources.filter((resource) => resource.type === "manifest");
    expect(byStage(manifests)).toEqual(wanted.expected);
    expect(dependencies(manifests)).toEqual(wanted.dependsOn ?? {});
    expect(pulumi?.["resources"]).toEqual(wanted.pulumi);
  });
});

function requestFor({ pattern, params }: Case) {
  const where = { file: "qvs.yaml", line: 1, column: 1 };
  const bound = Object.entries(params).map(([name, value]) => ({ name, value, where, from: [] }));
  const files = { in: "directory", directory: corpus } as const;
  return {
    config: {
      file: "qvs.yaml",
      params: [],
      modules: [],
      designPatterns: [{ pattern, group: undefined, params: bound, where }],
    },
    modules: [{ path: undefined, display: "official/", files }],
  };
}

function byStage(manifests: readonly Manifest[]): Json {
  const stages = Map.groupBy(manifests, (manifest) => manifest.stage);
  return Object.fromEntries(
    [...stages].map(([stage, members]) => [
      stage,
      Object.fromEntries(members.map(({ id, object }) => [id, object])),
    ]),
  );
}

function dependencies(manifests: readonly Manifest[]): Json {
  const some = manifests.filter(({ dependsOn }) => dependsOn.length > 0);
  const found = Object.fromEntries(some.map(({ id, dependsOn }) => [id, [...dependsOn]]));
  return isObject(found) ? found : {};
}
