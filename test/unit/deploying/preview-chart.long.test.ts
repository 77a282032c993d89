import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { compileBaseAndHead } from "../../../src/deploying/compile-base-and-head.ts";
import {
  addClusterComparison,
  previewDeployment,
} from "../../../src/deploying/preview-deployment.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import { combineUpstreamPlans } from "../../../src/model/deployments/other-deployments.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { UserError } from "../../../src/model/problems/errors.ts";
import type { Problem } from "../../../src/model/problems/problem.ts";
import { encodeRelease } from "../../../src/releases/encode.ts";
import type { DeploymentReport } from "../../../src/report/comment/comment-input.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { changeBetween, planWith } from "../../support/plan/change-between.ts";
import { declare } from "../../support/plan/declare.ts";
import { applied } from "../../support/plan/live.ts";
import { release } from "../../support/plan/release-from.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";

const openShop = useWorlds();

const deployment = {
  ...{ name: "shop", config: "qvs.yaml", params: [], namespace: "shop", dependsOn: [] },
  ...{ environment: undefined, context: undefined },
};

const questions = `{{ .Capabilities.KubeVersion.Minor }}-{{ .Capabilities.APIVersions.Has "a.example/v1" }}`;

/** Returns a world with a chart whose object has the answers in its name. */
async function openWorld({ answers = questions, chart = "" } = {}) {
  const git = new GitFixture();
  git.commit({
    "qvs.yaml": "designPatterns:\n  - helm: {chart: chart, release: web}\n",
    "chart/Chart.yaml": `apiVersion: v2\nname: chart\nversion: 1.0.0\n${chart}`,
    "chart/templates/a.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "is-${answers}"}
`,
  });
  const fake = fakeCluster();
  return openShop(git.directory, {
    ...fake,
    servesApi: async (name: string) => ({ ok: true, value: name === "a.example/v1" }),
  });
}

const preview = {
  ...{ deployment, before: undefined, inline: [], request: defaultRequest },
  withoutCluster: undefined,
};

function shown({ head }: DeploymentReport): string {
  const names = head?.resources.map(({ id }) => id) ?? [];
  return [...names, ...(head?.warnings.map(({ code }) => code) ?? [])].join(" ");
}

test("a preview without a cluster shows the assumptions, and one with a cluster the answers", async () => {
  const world = await openWorld();
  const withoutCluster = { because: "the pull request is from a fork" } as const;
  expect(shown(await previewDeployment(world, { ...preview, withoutCluster }))).toBe(
    "configmap/is-37-false capabilities-assumed",
  );
  expect(shown(await previewDeployment(world, preview))).toBe("configmap/is-36-true");
});

test("a preview keeps the objects of a chart of an adapter that isn't locked", async () => {
  const git = new GitFixture();
  git.commit({
    "qvs.yaml":
      "designPatterns: [{pattern: a.example/web}]\nmodules: [{name: a.example, local: {path: adapters}}]\n",
    "adapters/cue.mod/module.cue": 'module: "a.example"\nlanguage: version: "v0.9.0"\n',
    "adapters/web/main.cue":
      'package web\nDesignPattern: resources: app: web: {provider: "kubernetes-helm", chart: "web", version: "1.0.0", fetchOpts: repo: "https://c.example"}\n',
  });
  const recorded = release(1, "succeeded", { names: ["a"] });
  const [declared] = declare("app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n");
  if (declared === undefined) throw new Error("The manifest declares one object.");
  const live = applied(declared, "shop");
  const labels = {
    "vs.axis-dev.io/deployment": "shop",
    "vs.axis-dev.io/release-namespace": "shop",
    "app.kubernetes.io/managed-by": "qvs",
  };
  const records = encodeRelease(recorded, {
    namespace: "shop",
    compress: (text) => gzipSync(text),
  });
  const cluster = fakeCluster([...records, { ...live, metadata: { ...live.metadata, labels } }]);
  const { plan } = await previewDeployment(await openShop(git.directory, cluster), preview);
  expect(plan?.deletions).toEqual([]);
  expect(plan?.kept.map(({ why, detail }) => `${why}: ${detail}`)).toEqual([
    "chart unknown: the objects of these charts aren't known: app/web",
  ]);
});

test("a preview that compiled without the cluster compiles again with its answers", async () => {
  const world = await openWorld();
  const compiled = await compileBaseAndHead(world, preview);
  expect(shown(compiled.report)).toBe("configmap/is-37-false capabilities-assumed");
  expect(shown(await addClusterComparison(world, preview, compiled))).toBe("configmap/is-36-true");
});

test("a limit of the version is checked in the cluster, and its chart is no question", async () => {
  const tooNew = { answers: "a", chart: "kubeVersion: '>=1.37.0-0'\n" };
  const world = await openWorld(tooNew);
  const compiled = await compileBaseAndHead(world, preview);
  expect(shown(compiled.report)).toBe("configmap/is-a");
  // The fake cluster has version 1.36.
  const report = await addClusterComparison(world, preview, compiled);
  expect(report.problems.map(({ why }) => why).join()).toContain("requires kubeVersion");
  expect(report.head).toBeUndefined();
});

test("the base is rendered without the definitions of upstream deployments", async () => {
  const world = await openWorld();
  const before = { deployment, source: world.source };
  const cluster = {
    ...fakeCluster(),
    servesApi: async () => ({ ok: true as const, value: false }),
  };
  const crd: KubeObject = {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "things.a.example" },
    spec: {
      ...{ group: "a.example", scope: "Namespaced", names: { kind: "Thing", plural: "things" } },
      versions: [{ name: "v1", served: true, storage: true }],
    },
  };
  const plan = planWith({ changes: [changeBetween(undefined, crd)] });
  const upstream = combineUpstreamPlans([{ deployment: "platform", plan }]);
  const target = async () => ({ ...(await world.target(deployment)), cluster });
  const report = await previewDeployment({ ...world, target }, { ...preview, before, upstream });
  expect(report.head?.resources.map(({ id }) => id)).toEqual(["configmap/is-36-true"]);
  expect(report.base?.resources.map(({ id }) => id)).toEqual(["configmap/is-36-false"]);
});

const noAnswer: Problem = {
  ...{ code: "cluster-unreachable", where: [], what: "The cluster doesn't answer", fix: "Wait" },
};

test("a cluster that answers only a second attempt isn't compared with assumed answers", async () => {
  const world = await openWorld();
  let attempts = 0;
  const target: typeof world.target = async (of) => {
    attempts++;
    if (attempts === 1) throw new UserError([noAnswer]);
    return world.target(of);
  };
  const report = await previewDeployment({ ...world, target }, preview);
  expect(shown(report)).toBe("configmap/is-37-false capabilities-assumed");
  expect(report.clusterState.compared).toBe(false);
  expect(report.plan).toBeUndefined();
});
