import { expect, test } from "vitest";
import { eventsIn } from "../../support/cluster/audit-events.ts";
import { useNode } from "../../support/node/use-node.ts";
import { webAppOn } from "../../support/node/web-app.ts";

/** Deploys changed settings to a real kubelet while 200 requests per second are sent. */
const node = useNode();

test("a rollout with a readiness probe and a preStop hook loses no request", async () => {
  const app = await webAppOn(node);
  expect((await app.deploy({ greeting: "blue" })).code).toBe(0);
  const { result, load } = await app.deployUnderLoad({ greeting: "green" });
  expect(result.code, result.stderr).toBe(0);
  expect(load.failed, load.log).toBe(0);
  for (const client of [load.newConnections, load.keptConnections]) {
    expect(client.answers).toEqual({ blue: expect.any(Number), green: expect.any(Number) });
    expect(client.requests).toBeGreaterThan(300);
  }
});

test("a rollout without a readiness probe and a preStop hook loses requests", async () => {
  const app = await webAppOn(node);
  const options = { probe: false, preStop: false, environment: { LISTEN_AFTER: "2s" } };
  expect((await app.deploy({ greeting: "blue", ...options })).code).toBe(0);
  const { result, load } = await app.deployUnderLoad({ greeting: "green", ...options });
  expect(result.code, result.stderr).toBe(0);
  expect(load.newConnections.failures["connection refused"]).toBeGreaterThan(10);
});

test("the old ConfigMap is deleted after the preStop hook of its last Pod", async () => {
  const app = await webAppOn(node);
  expect((await app.deploy({ greeting: "blue" })).code).toBe(0);
  const [oldPods, oldSettings] = await Promise.all([names("pods"), names("configmaps")]);
  expect((await app.deploy({ greeting: "green" })).code).toBe(0);
  const events = eventsIn(await node.auditLogSoFar(), app.namespace);
  const deletions = events.filter(({ verb }) => verb === "delete");
  const settings = deletions.find(({ object }) => oldSettings.includes(object));
  const deleted = Date.parse(settings?.received ?? "");
  expect(oldPods).toHaveLength(2);
  for (const pod of oldPods) {
    const ordered = deletions.find(({ user, object }) => user === "controllers" && object === pod);
    expect(deleted - Date.parse(ordered?.answered ?? "")).toBeGreaterThan(3_000);
    const reports = events.filter(
      ({ user, object, answered }) =>
        user === "kubelet" &&
        object === `${pod}/status` &&
        answered < (settings?.received ?? "") &&
        answered > (ordered?.answered ?? ""),
    );
    // The kubelet has reported the end of the containers before.
    expect(reports).not.toEqual([]);
  }

  /** Returns the objects of a kind that the deployment has created, as the audit log names them. */
  async function names(kind: string): Promise<readonly string[]> {
    const list = await node.kubectl("get", kind, "-n", app.namespace, "-o", "name");
    const all = list.trim().split("\n");
    return all
      .filter((name) => /web|settings/.test(name))
      .map((name) => name.replace(/^\w+/, kind));
  }
});
