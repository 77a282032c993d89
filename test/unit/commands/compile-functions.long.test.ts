import { beforeAll, expect, test } from "vitest";
import { compile, compileText } from "../../../src/commands/compile.ts";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import type { World } from "../../../src/ports/world.ts";
import { shopDeployment } from "../../support/shop/shop-report.ts";
import { sourceOf } from "../compile/specification.ts";

let wasm: WebAssembly.Module;
beforeAll(async () => {
  wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
});

const deployment = shopDeployment({ config: "qvs.yaml", params: [], namespace: "shop" });

test("a manifest with a function of Pulumi is shown with a notice, and the others stay in order", async () => {
  const adapter = `DesignPattern: resources: app: {
	"a-job": {
		apiVersion: "batch/v1", kind: "Job"
		metadata: {name: "a", annotations: "vs.axis-dev.io/dependsOn": "core:ConfigMap::plain"}
	}
	key: {
		provider: "pulumi-yaml", type: "kubernetes:core/v1:Secret"
		properties: {metadata: name: "key", type: {"fn::invoke": function: "azure:getSecret"}}
	}
	plain: {apiVersion: "v1", kind: "ConfigMap", metadata: name: "plain"}
}`;
  const source = sourceOf({ name: "", adapters: { it: adapter }, expected: "" }, wasm);
  const { compiler } = source;
  const shown = { ...source, compiler: { ...compiler, compileCached: compiler.compile } };
  const output = await compile({ source: shown } as unknown as World, deployment, []);
  expect(compileText(output)).toContain("type:\n  fn::invoke:\n    function: azure:getSecret\n");
  expect(output.order).toEqual(["app/plain", "app/a-job", "app/key"]);
  expect(output.compilation.warnings).toMatchObject([
    {
      code: "pulumi-function",
      what: "Resource app/key calls fn::invoke",
    },
  ]);
});
