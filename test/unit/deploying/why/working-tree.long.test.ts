import { expect, test } from "vitest";
import { readDeclared } from "../../../../src/deploying/why/declared-object.ts";
import { createReleaseHistory } from "../../../../src/model/deployments/release-history.ts";
import type { Problem } from "../../../../src/model/problems/problem.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { GitFixture } from "../../../support/git/git-fixture.ts";
import { plainDeployment } from "../../../support/shop/plain-deployment.ts";
import { useWorlds } from "../../../support/shop/shop-world.ts";

const openShop = useWorlds();

test("the working tree is rendered with the answers of the cluster", async () => {
  const git = new GitFixture();
  git.commit({
    "qvs.yaml": "designPatterns:\n  - helm: {chart: chart, release: web}\n",
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/templates/a.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {version: "{{ .Capabilities.KubeVersion.Minor }}"}
`,
  });
  const world = await openShop(git.directory, fakeCluster());
  const unreadable: Problem = {
    ...{ code: "missing-permission", where: [], what: "qvs can't read the releases" },
    fix: "Ask for the permission",
  };
  const records = {
    deployment: plainDeployment(),
    history: createReleaseHistory([]),
    unreadable: [unreadable],
  };
  const isKind = ({ kind }: { readonly kind: string }) => kind === "ConfigMap";
  const question = { isKind, name: "a", namespace: undefined, text: "ConfigMap/a" };
  const { object } = await readDeclared(world, records, question);
  // The fake cluster has version 1.36, and a preview without a cluster assumes 1.37.
  expect(object.data).toEqual({ version: "36" });
});
