import { expect, test } from "vitest";
import { createClient } from "../../../../src/io/github/client.ts";
import { openDeployments } from "../../../../src/io/github/deployments.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";

const github = useFakeGitHub();

test("requests about deployments follow GitHub's description of its API", async () => {
  const client = createClient({ token: "t", apiUrl: github().apiUrl, warn: () => {} });
  const deployments = openDeployments(client, { owner: "acme", repo: "shop" });
  const payload = { qvs: "shop", images: ["web:2"] };
  const description = "d".repeat(200);
  const id = await deployments.create({ ref: "c0ffee", environment: "prod", description, payload });
  await deployments.setStatus(id, { state: "in_progress", description, logUrl: undefined });
  const urls = { logUrl: "https://github.com/run", environmentUrl: "https://shop.example" };
  await deployments.setStatus(id, { state: "success", description: "Release 2", ...urls });
  expect(await deployments.list("prod")).toEqual([{ id, payload }]);
  expect(await deployments.list("staging")).toEqual([]);
  expect(await deployments.stateOf(id)).toBe("success");
  const [stored] = github().state.deployments;
  expect(stored).toMatchObject({ ref: "c0ffee", required_contexts: [], auto_merge: false });
  expect(stored?.statuses[1]).toMatchObject({
    log_url: "https://github.com/run",
    environment_url: "https://shop.example",
    auto_inactive: false,
  });
});
