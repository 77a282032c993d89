import { afterAll, describe, expect, it } from "vitest";
import { createCompiler } from "../../../src/io/cue/compiler.ts";
import { isObject, type Json } from "../../../src/model/json.ts";
import type { Manifest } from "../../../src/model/sources/compilation.ts";
import { isAvailable, requestFor, written } from "../../support/corpus/official.ts";

describe.skipIf(!isAvailable)("adapters of the official corpus", () => {
  const compiler = createCompiler({
    script: new URL("../../../src/compile-worker.ts", import.meta.url),
    wasm: new URL("../../../dist/cue.wasm.zst", import.meta.url),
  });
  afterAll(() => compiler.close());

  it.each(written)("$file compiles to the manifests that its adapter describes", async (wanted) => {
    const compiled = await compiler.compile(requestFor(wanted.pattern, wanted.params));
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems, null, 2));
    const { resources, pulumi } = compiled.value;
    const manifests = resources.filter((resource) => resource.type === "manifest");
    expect(byStage(manifests)).toEqual(wanted.expected);
    expect(dependencies(manifests)).toEqual(wanted.dependsOn ?? {});
    expect(pulumi?.["resources"]).toEqual(wanted.pulumi);
  });
});

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
