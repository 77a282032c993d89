import { expect, test } from "vitest";
import { createRecorder } from "../../../../src/action/reports/record-on-github.ts";
import { createClient } from "../../../../src/io/github/client.ts";
import { openDeployments } from "../../../../src/io/github/deployments.ts";
import type { Deployment } from "../../../../src/model/deployments/deployment.ts";
import { useFakeGitHub } from "../../../support/fake-github/use.ts";

const github = useFakeGitHub();

test("requests about deployments follow GitHub's description of its API", async () => {
  const client = createClient({ token: "t", apiUrl: github().apiUrl, warn: () => {} });
  const deployments = openDeployments(client, { owner: "acme", repo: "shop" });
  const payload = { qvs: "shop", images: ["web:2"] };
  const description = "d".repeat(200);
  const created = { ref: "c0ffee", environment: "prod", task: "deploy:shop", description, payload };
  const id = await deployments.create(created);
  await deployments.setStatus(id, { state: "in_progress", description, logUrl: undefined });
  const urls = { logUrl: "https://github.com/run", environmentUrl: "https://shop.example" };
  await deployments.setStatus(id, { state: "success", description: "Release 2", ...urls });
  expect(await deployments.list("prod", "deploy:shop")).toEqual([{ id, payload }]);
  expect(await deployments.list("prod", "deploy:other")).toEqual([]);
  expect(await deployments.list("staging", "deploy:shop")).toEqual([]);
  expect(await deployments.stateOf(id)).toBe("success");
  const [stored] = github().state.deployments;
  expect(stored).toMatchObject({ ref: "c0ffee", required_contexts: [], auto_merge: false });
  expect(stored?.statuses[1]).toMatchObject({
    log_url: "https://github.com/run",
    environment_url: "https://shop.example",
    auto_inactive: false,
  });
});

test.each([
  ["created it", true],
  ["created nothing", false],
])("a GitHub deployment is created once if GitHub answered 502 and %s", async (_, isDone) => {
  const client = createClient({ token: "t", apiUrl: github().apiUrl, warn: () => {} });
  const deployments = openDeployments(client, { owner: "acme", repo: "shop" });
  const about = { ref: "c0ffee", environment: "prod", task: "deploy:shop", description: "" };
  const payload = { qvs: "shop", release: 2 };
  const { state } = github();
  // A release of the same number in an earlier namespace, which has ended.
  const status = { id: state.newId(), state: "inactive", description: "" };
  state.deployments.push({ id: state.newId(), ...about, payload, statuses: [status] });
  github().failNext(502, 1, { part: "/deployments", method: "POST", isDone });
  const id = await deployments.create({ ...about, payload });
  expect(state.deployments.map((each) => each.id)).toEqual([expect.anything(), id]);
});

test("a newer release ends the former one in an environment with many other deployments", async () => {
  const client = createClient({ token: "t", apiUrl: github().apiUrl, warn: () => {} });
  const deployments = openDeployments(client, { owner: "acme", repo: "shop" });
  const payload = { qvs: "shop" };
  const about = { ref: "c0ffee", environment: "many", description: "" };
  const former = await deployments.create({ ...about, task: "deploy:shop", payload });
  await deployments.setStatus(former, { state: "success", description: "", logUrl: undefined });
  // The client writes once per second, so the others are put there directly.
  const { state } = github();
  for (let count = 0; count < 40; count += 1) {
    const task = `deploy:other-${count}`;
    state.deployments.push({ id: state.newId(), ...about, task, payload: {}, statuses: [] });
  }
  const recorder = createRecorder(deployments, {
    commit: "c0ffee",
    runUrl: undefined,
    environmentUrl: undefined,
  });
  recorder.deleted({ name: "shop", environment: "many" } as Deployment);
  await recorder.flush();
  expect(await deployments.stateOf(former)).toBe("inactive");
});
