import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { useCluster } from "../support/cluster/use-cluster.ts";
import {
  blueGreen,
  certificate,
  configMap,
  deployment,
  externalSecret,
  job,
  loadBalancer,
  statefulSet,
} from "../support/cluster/workloads.ts";

/**
 * Tests that the control plane behaves, and fails, like a real cluster. The other system tests rely
 * on it.
 */

const cluster = useCluster();

test("a Deployment that mounts a ConfigMap becomes available", async () => {
  const namespace = await cluster.namespace();
  await cluster.apply(
    namespace,
    configMap("settings") + deployment("web", { configMap: "settings" }),
  );
  await becomes(namespace, "deployment/web", "{.status.availableReplicas}", "1");
});

test("the Pod of a surge fits on no node if each replica needs its own node", async () => {
  const namespace = await cluster.namespace();
  const spread = { replicas: 3, spread: true };
  await cluster.apply(namespace, deployment("web", spread));
  await becomes(namespace, "deployment/web", "{.status.availableReplicas}", "3");
  await cluster.apply(namespace, deployment("web", { ...spread, image: "acme/web:2" }));
  await becomes(
    namespace,
    "pods --field-selector=status.phase=Pending",
    '{.items[*].status.conditions[?(@.type=="PodScheduled")].message}',
    "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules. no new claims to " +
      "deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
  );
});

describe("a Pod's behavior is set by an annotation", () => {
  const waiting = "{.items[*].status.containerStatuses[*].state.waiting.reason}";
  const ready = '{.items[*].status.conditions[?(@.type=="Ready")].status}';
  test.each([
    { behaviour: "image-pull-back-off", path: waiting, value: "ImagePullBackOff" },
    { behaviour: "crash-loop", path: waiting, value: "CrashLoopBackOff" },
    { behaviour: "never-ready", path: ready, value: "False" },
    { behaviour: "slow", path: ready, value: "True" },
  ])("$behaviour", async ({ behaviour, path, value }) => {
    const namespace = await cluster.namespace();
    await cluster.apply(namespace, deployment("web", { behaviour }));
    await becomes(namespace, "pods", path, value);
    const available = [namespace, "deployment/web", "{.status.availableReplicas}"] as const;
    if (behaviour === "slow") return becomes(...available, "1");
    await sleep(500);
    expect(await read(namespace, "pods", path)).toBe(value);
    expect(await read(...available)).toBe("");
  });

  test("an image that doesn't exist is never pulled", async () => {
    const namespace = await cluster.namespace();
    await cluster.apply(namespace, deployment("web", { image: "acme/does-not-exist:1" }));
    await becomes(namespace, "pods", waiting, "ImagePullBackOff");
  });
});

test("a Job completes or fails as configured", async () => {
  const namespace = await cluster.namespace();
  await cluster.apply(namespace, job("good", "none") + job("bad", "job-fails"));
  await becomes(
    namespace,
    "job/good",
    '{.status.conditions[?(@.type=="Complete")].status}',
    "True",
  );
  await becomes(namespace, "job/bad", '{.status.conditions[?(@.type=="Failed")].status}', "True");
});

test("a StatefulSet gets volumes for its PersistentVolumeClaims", async () => {
  const namespace = await cluster.namespace();
  await cluster.apply(namespace, statefulSet("db"));
  await becomes(namespace, "statefulset/db", "{.status.availableReplicas}", "2");
});

test("a Service of type LoadBalancer gets an address", async () => {
  const namespace = await cluster.namespace();
  await cluster.apply(namespace, loadBalancer("web"));
  await becomes(namespace, "service/web", "{.status.loadBalancer.ingress[0].ip}", "203.0.113.10");
});

test("an ExternalSecret becomes ready, with its Secret, for each generation", async () => {
  const namespace = await cluster.namespace();
  await cluster.apply(namespace, externalSecret("credentials", "first"));
  await becomes(
    namespace,
    "externalsecrets.external-secrets.io/credentials",
    "{.status.syncedResourceVersion}",
    "1-synced",
  );
  await cluster.apply(namespace, externalSecret("credentials", "second"));
  await becomes(
    namespace,
    "externalsecrets.external-secrets.io/credentials",
    "{.status.syncedResourceVersion}",
    "2-synced",
  );
  const ready = '{.status.conditions[?(@.type=="Ready")].status}';
  expect(await read(namespace, "externalsecrets.external-secrets.io/credentials", ready)).toBe(
    "True",
  );
  const password = Buffer.from("value of second").toString("base64");
  expect(await read(namespace, "secret/credentials", "{.data.password}")).toBe(password);
});

test("a Certificate becomes ready for its generation", async () => {
  const namespace = await cluster.namespace();
  await cluster.apply(namespace, certificate("web"));
  const generation = '{.status.conditions[?(@.type=="Ready")].observedGeneration}';
  await becomes(namespace, "certificate/web", generation, "1");
});

test("the audit log has the changes of a user in their order", async () => {
  const namespace = await cluster.namespace();
  const asAdmin = (...args: readonly string[]) =>
    cluster.kubectlAs("admin", "-n", namespace, ...args);
  await asAdmin("create", "configmap", "one");
  await asAdmin("create", "configmap", "two", "--dry-run=server");
  await asAdmin("label", "configmap", "one", "colour=blue");
  await asAdmin("delete", "configmap", "one", "--dry-run=server");
  await asAdmin("delete", "configmap", "one");
  expect(await cluster.auditWrites(namespace)).toEqual([
    `create ConfigMap ${namespace}/one`,
    `patch ConfigMap ${namespace}/one`,
    `delete ConfigMap ${namespace}/one`,
  ]);
  expect(await cluster.auditWrites(namespace, "kubectl")).toEqual([
    `create Namespace ${namespace}`,
  ]);
});

test("a user without a role gets no access, and a viewer can only read", async () => {
  const namespace = await cluster.namespace();
  const create = ["create", "configmap", "one", "-n", namespace] as const;
  await expect(cluster.kubectlAs("stranger", ...create)).rejects.toThrow(
    `User "stranger" cannot create resource "configmaps" in API group "" in the namespace "${namespace}"`,
  );
  await expect(cluster.kubectlAs("viewer", ...create)).rejects.toThrow(
    'User "viewer" cannot create',
  );
  await cluster.kubectlAs("viewer", "get", "configmaps", "-n", namespace);
});

test("Argo Rollouts carries out a blue/green rollout up to its pause", async () => {
  const namespace = await cluster.namespace();
  await cluster.apply(namespace, blueGreen("acme/web:1"));
  await becomes(namespace, "rollout/web", "{.status.phase}", "Healthy");
  await cluster.apply(namespace, blueGreen("acme/web:2"));
  await becomes(namespace, "rollout/web", "{.status.pauseConditions[*].reason}", "BlueGreenPause");
});

async function read(namespace: string, what: string, path: string): Promise<string> {
  return cluster.kubectl("get", ...what.split(" "), "-n", namespace, `-o=jsonpath=${path}`);
}

/** Waits until the field has the value. Shows the last other value in a failure. */
async function becomes(
  namespace: string,
  what: string,
  path: string,
  value: string,
): Promise<void> {
  await expect.poll(() => read(namespace, what, path), { interval: 100 }).toBe(value);
}
