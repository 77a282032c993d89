import { expect, test } from "vitest";
import { diff } from "../../../src/commands/diff.ts";
import { defaultRequest } from "../../../src/model/deployments/deploy-request.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { cautious } from "../../support/policy.ts";
import { shopDeployment } from "../../support/shop/shop-report.ts";
import { deploymentsFile, shopUnderGit, useWorlds } from "../../support/shop/shop-world.ts";

const openShop = useWorlds();

test("a finding is shown at the source of its field, or at its object without a trace", async () => {
  const git = shopUnderGit();
  const base = git.commit(deploymentsFile({ name: "shop" }));
  git.commit({ "params.yaml": "version: latest\nreplicas: 2\n" });
  const shop = { name: "shop", config: ".valuestream/qvs.yaml", params: ["params.yaml"] };
  const deployment = { ...shopDeployment(), ...shop };
  const placesWith = async (commit: string | undefined) => {
    const world = await openShop(git.directory, fakeCluster());
    const request = { ...defaultRequest, policy: cautious };
    const options = { inline: [], request, base: commit };
    const { findings = [], ...rest } = await diff(world, deployment, options);
    const found = findings.filter(({ code }) => code === "image-not-pinned");
    expect(rest.problems).toEqual([]);
    return found.map(({ where }) => where.map(({ file, line }) => `${file}:${line}`).join(" "));
  };
  expect(await placesWith(base)).toEqual([".valuestream/qvs.yaml:11 adapters/web/main.cue:17"]);
  expect(await placesWith(undefined)).toEqual(["adapters/web/main.cue:11"]);
});
