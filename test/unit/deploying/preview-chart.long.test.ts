import { expect, test } from "vitest";
import {
  addClusterComparison,
  compileBaseAndHead,
  previewDeployment,
} from "../../../src/deploying/preview-deployment.ts";
import { defaultRequest } from "../../../src/model/deploy-request.ts";
import type { DeploymentReport } from "../../../src/report/comment/comment-input.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";

const openShop = useWorlds();

const deployment = {
  ...{ name: "shop", config: "qvs.yaml", params: [], namespace: "shop", dependsOn: [] },
  ...{ environment: undefined, context: undefined },
};

/** Returns a world with a chart that shows the version and asks for a kind. */
async function openWorld() {
  const git = new GitFixture();
  git.commit({
    "qvs.yaml": "designPatterns:\n  - helm: {chart: chart, release: web}\n",
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/templates/a.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "is-{{ .Capabilities.KubeVersion.Minor }}-{{ .Capabilities.APIVersions.Has "a.example/v1" }}"}
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

test("a preview that compiled without the cluster compiles again with its answers", async () => {
  const world = await openWorld();
  const compiled = await compileBaseAndHead(world, preview);
  expect(shown(compiled.report)).toBe("configmap/is-37-false capabilities-assumed");
  expect(shown(await addClusterComparison(world, preview, compiled))).toBe("configmap/is-36-true");
});
