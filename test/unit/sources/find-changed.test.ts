import { expect, test } from "vitest";
import { parseDeployments } from "../../../src/config/parse-deployments.ts";
import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import type { World } from "../../../src/ports/world.ts";
import { changedDeployments, createChangeCheck } from "../../../src/sources/find-changed.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { must } from "../config/result-text.ts";

const shop = plainDeployment({
  config: "shop/.valuestream/qvs.yaml",
  params: ["params/common.yaml"],
  namespace: "default",
});

function because(changedPaths: readonly string[], before: Deployment | undefined = shop): string {
  const inputs = ["adapters/web/web.cue", "adapters/old/gone.cue", ".valuestream/qvs.lock"];
  const compared = { deployment: shop, before, inputs };
  return changedDeployments([compared], new Set(changedPaths))
    .flatMap((each) => each.because)
    .join(", ");
}

test.each([
  ["nothing", [], ""],
  ["other files only", ["README.md", "adapters/web/other.cue", "shop/main.go"], ""],
  ["its config", ["shop/.valuestream/qvs.yaml"], "shop/.valuestream/qvs.yaml"],
  ["a params file", ["params/common.yaml", "params/other.yaml"], "params/common.yaml"],
  ["a CUE file that was loaded", ["adapters/web/web.cue"], "adapters/web/web.cue"],
  ["a removed CUE file that was loaded before", ["adapters/old/gone.cue"], "adapters/old/gone.cue"],
  ["the lockfile that was read", [".valuestream/qvs.lock"], ".valuestream/qvs.lock"],
  ["a lockfile of modules that it doesn't use", ["shop/.valuestream/qvs.lock"], ""],
  [
    "several, sorted",
    ["shop/.valuestream/qvs.yaml", "params/common.yaml"],
    "params/common.yaml, shop/.valuestream/qvs.yaml",
  ],
  ["deployments.yaml, but not its entry", [".valuestream/deployments.yaml"], ""],
])("when %s differ(s)", (_, paths, expected) => expect(because(paths)).toBe(expected));

test.each([
  ["the namespace", { ...shop, namespace: "other" }],
  ["the order of params", { ...shop, params: ["params/other.yaml", "params/common.yaml"] }],
  ["the environment", { ...shop, environment: "staging" }],
])("when %s of its entry differs", (_, before) => {
  expect(because([], before)).toBe("its entry in deployments.yaml");
});

test("checks of its entry count by their content, not by their lines", () => {
  const entry = (lead: string, checks: string) => {
    const text = `${lead}deployments: [{name: shop, config: q, checks: ${checks}}]`;
    return must(parseDeployments(".valuestream/deployments.yaml", text))[0] as Deployment;
  };
  const reasons = (before: Deployment, deployment: Deployment) =>
    changedDeployments([{ deployment, before, inputs: [] }], new Set()).flatMap(
      (each) => each.because,
    );
  const one = entry("", "[{name: a, http: {service: web, port: 80}}]");
  expect(reasons(one, entry("\n\n", "[{name: a, http:  {service: web, port: 80}}]"))).toEqual([]);
  expect(reasons(one, entry("", "[{name: a, http: {service: web, port: 81}}]"))).toEqual([
    "its entry in deployments.yaml",
  ]);
  expect(reasons({ ...one, checks: undefined }, one)).toEqual(["its entry in deployments.yaml"]);
});

test("a new deployment is changed", () => {
  const compared = { deployment: shop, before: undefined, inputs: [] };
  expect(changedDeployments([compared], new Set())).toEqual([
    { name: "shop", because: ["it is new"] },
  ]);
});

/** Returns how often qvs reads the list of changed paths for so many deployments. */
async function readsOfPaths(deployments: number): Promise<number> {
  let reads = 0;
  const paths = new Proxy(["README.md", "params/common.yaml"], {
    get(target, name) {
      if (name === Symbol.iterator) reads += 1;
      return Reflect.get(target, name);
    },
  });
  const repository = { resolve: async () => "c0ffee", changedPaths: async () => paths };
  const isChanged = createChangeCheck({ repository, source: {} } as unknown as World);
  const files = { own: ["params/common.yaml"], folders: [], all: async () => [] };
  for (let number = 0; number < deployments; number += 1) {
    const deployment = { ...shop, name: `shop-${number}` };
    const pair = { deployment, before: deployment, base: files, head: files };
    expect(await isChanged("base", pair)).toBe(true);
  }
  return reads;
}

test("the changed paths are read once for all deployments", async () => {
  expect(await readsOfPaths(2)).toBe(1);
  expect(await readsOfPaths(20)).toBe(1);
});
