import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { previewPullRequest } from "../../../../src/action/pull-requests/preview-pull-request.ts";
import { defaultRequest } from "../../../../src/model/deployments/deploy-request.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";
import { environment, temporaryDirectory } from "../../../support/git/git-fixture.ts";
import { cautious } from "../../../support/policy.ts";
import { deploymentsFile, shopUnderGit, useWorlds } from "../../../support/shop/shop-world.ts";

const openShop = useWorlds();

/** A directory for PATH whose `git` writes a line for each call, and the number of its calls. */
function countingGit() {
  const directory = temporaryDirectory();
  const log = join(directory, "calls");
  writeFileSync(log, "");
  const program = join(directory, "git");
  writeFileSync(
    program,
    `#!/bin/sh\necho call >>"${log}"\nPATH="${environment.PATH}" exec git "$@"\n`,
  );
  chmodSync(program, 0o755);
  return {
    path: `${directory}:${environment.PATH}`,
    calls: () => readFileSync(log, "utf8").split("\n").length - 1,
  };
}

/** Previews a pull request that changes all deployments, each compared with a cluster. */
async function previewAll(deployments: number) {
  const git = shopUnderGit();
  const entries = Array.from({ length: deployments }, (_, index) => ({
    name: `web-${index}`,
    namespace: `web-${index}`,
  }));
  const base = git.commit(deploymentsFile(...entries));
  const headSha = git.commit({ "params.yaml": "version: 2.0.0\nreplicas: 2\n" });
  const counting = countingGit();
  const world = await openShop(git.directory, fakeCluster(), { PATH: counting.path });
  const input = await previewPullRequest(
    world,
    {
      base,
      headSha,
      inline: [],
      request: { ...defaultRequest, policy: cautious },
      withoutCluster: undefined,
      choose: (all) => all,
      adjusted: (each) => each,
      runUrl: undefined,
    },
    (report) => report,
  );
  const compared = input.deployments.filter(({ clusterState }) => clusterState.compared);
  expect(compared).toHaveLength(deployments);
  return { gitCalls: counting.calls() };
}

test("the number of git processes doesn't grow with the number of deployments", async () => {
  const few = await previewAll(2);
  expect(few.gitCalls).toBeGreaterThan(0);
  expect((await previewAll(7)).gitCalls).toBe(few.gitCalls);
});
