import { expect, test } from "vitest";
import type { ActionContext } from "../../../src/action/context.ts";
import type { Inputs } from "../../../src/action/inputs/inputs.ts";
import { listDeploymentsToDeploy } from "../../../src/action/list-changed.ts";
import type { GitHubEvent } from "../../../src/io/github/event.ts";

const file = ".valuestream/deployments.yaml";
const list = "deployments:\n  - {name: a, config: a.yaml}\n  - {name: b, config: b.yaml}\n";
const event: GitHubEvent = {
  type: "workflow_dispatch",
  ref: "refs/heads/main",
  defaultBranch: "main",
};

test("inputs adjust all listed deployments, even those that aren't chosen, so that qvs can compare removed ones", async () => {
  const tree = { read: async (path: string) => (path === file ? list : undefined) };
  const world = { source: { tree }, repositoryName: "shop" };
  const inputs: Partial<Inputs> = {
    inline: [],
    kubeconfig: "in-cluster",
    choose: (deployments) => deployments.filter(({ name }) => name === "a"),
    adjusted: (deployment) => ({ ...deployment, context: "production" }),
  };
  const context = { world, env: {} } as unknown as ActionContext;
  const { all, deployments } = await listDeploymentsToDeploy(event, inputs as Inputs, context);
  const places = (each: typeof all) => each.map(({ name, context }) => `${name} in ${context}`);
  expect(places(all)).toEqual(["a in production", "b in production"]);
  expect(places(deployments)).toEqual(["a in production"]);
});
