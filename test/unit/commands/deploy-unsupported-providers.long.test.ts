import { beforeAll, expect, test } from "vitest";
import { deploy } from "../../../src/commands/deploy.ts";
import { loadWasm } from "../../../src/io/cue/engine/lazy-program.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import { UserError } from "../../../src/model/problems/errors.ts";
import type { World } from "../../../src/ports/world.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { cautious } from "../../support/policy.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { sourceOf } from "../compile/specification.ts";

let wasm: WebAssembly.Module;
beforeAll(async () => {
  wasm = await loadWasm(new URL("../../../dist/cue.wasm.zst", import.meta.url));
});

const deployment = plainDeployment();
const request = {
  ...defaultRequest,
  limits: { timeoutMs: 1000, concurrency: 4 },
  policy: cautious,
};

/** Returns the error, and the requests to the cluster before it. */
async function refusal(adapter: string): Promise<{ text: string; done: readonly string[] }> {
  const done: string[] = [];
  const cluster = { kind: async () => ({ ok: false }) };
  const world = {
    source: sourceOf({ name: "", adapters: { it: adapter }, expected: "" }, wasm),
    progress: () => ({ report: () => {} }),
    target: async () => ({ cluster, lock: async () => done.push("locked") }),
  } as unknown as World;
  try {
    await deploy(world, deployment, [], request);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { text: error.problems.map(describeProblem).join("\n"), done };
  }
  throw new Error("It was deployed.");
}

test("charts that can't be rendered and unknown providers are rejected with their ids before qvs locks or changes anything", async () => {
  const { text, done } = await refusal(`DesignPattern: resources: {
	appSetup: chart: {provider: "kubernetes-helm", chart: "redis"}
	app: {
		web: #ConfigMap & {metadata: name: "web"}
		bucket: {provider: "terraform", x: 1}
		ip: {provider: "pulumi-yaml", type: "gcp:compute:Address"}
	}
}`);
  expect(text).toBe(
    [
      'it/main.cue:3:12: Chart "redis" has no repository',
      "  resource: appSetup/chart",
      "  why: An adapter can't use files of this repository, and qvs doesn't read the repository names of Helm",
      "  → Write the address of its Helm repository in repositoryOpts.repo or fetchOpts.repo",
      "    or write the chart as oci://HOST/PATH/NAME",
      "    or name a chart of this repository in an entry `helm:` of the config",
      'Resource app/bucket: qvs can\'t deploy provider "terraform"',
      "  why: qvs shows resources of this provider, but doesn't deploy them",
      "  → Remove the resource from this deployment and deploy it with its own tool",
    ].join("\n"),
  );
  expect(done).toEqual([]);
});

test("a function of Pulumi in a manifest is rejected before qvs locks or changes anything", async () => {
  const { text, done } = await refusal(`DesignPattern: resources: app: {
	key: {
		provider: "pulumi-yaml", type: "kubernetes:core/v1:Secret"
		properties: {metadata: name: "key", stringData: a: "fn::invoke": function: "azure:getSecret"}
	}
}`);
  expect(text).toContain(
    "Resource app/key calls fn::invoke\n  why: Only Pulumi can compute this function",
  );
  expect(done).toEqual([]);
});
