import { expect, test } from "vitest";
import { rbac } from "../../../src/commands/rbac.ts";
import { UserError } from "../../../src/model/problems/errors.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { GitFixture } from "../../support/git/git-fixture.ts";
import { plainDeployment } from "../../support/shop/plain-deployment.ts";
import { useWorlds } from "../../support/shop/shop-world.ts";

const openShop = useWorlds();

test("a cluster that answers only a second attempt gets no roles for assumed answers", async () => {
  const git = new GitFixture();
  git.commit({
    "qvs.yaml": "designPatterns:\n  - helm: {chart: chart, release: web}\n",
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/templates/a.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: "is-{{ .Capabilities.KubeVersion.Minor }}"}
`,
  });
  const world = await openShop(git.directory, fakeCluster());
  let attempts = 0;
  const target: typeof world.target = async (deployment) => {
    attempts++;
    if (attempts === 1) {
      const what = "The cluster doesn't answer";
      throw new UserError([{ code: "cluster-unreachable", where: [], what, fix: "Wait" }]);
    }
    return world.target(deployment);
  };
  const options = {
    ...({ inline: [], command: "deploy", byKind: false, askCluster: true } as const),
    subject: { type: "user", name: "ada" } as const,
  };
  await expect(rbac({ ...world, target }, plainDeployment(), options)).rejects.toThrow(
    "The cluster doesn't answer",
  );
});
