import { expect, test } from "vitest";
import { rememberAnswers } from "../../../../src/planning/rollback/remember-answers.ts";
import type { Cluster } from "../../../../src/ports/kubernetes.ts";

const objectIn = (namespace: string, name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name },
});

function countingCluster(): { readonly cluster: Cluster; readonly requests: string[] } {
  const requests: string[] = [];
  const answer = (request: string, value: unknown) => async () => {
    requests.push(request);
    return { ok: true, value };
  };
  const items = [objectIn("a", "one"), objectIn("a", "two"), objectIn("b", "one")];
  const cluster = {
    kind: answer("kind", { kind: "ConfigMap" }),
    list: answer("list", { items, resourceVersion: "1" }),
    read: answer("read", undefined),
    create: answer("create", {}),
  };
  return { cluster: cluster as unknown as Cluster, requests };
}

test("a second plan gets the same answers without a request", async () => {
  const { cluster, requests } = countingCluster();
  const { asking, remembering, unanswered } = rememberAnswers(cluster);
  await asking.list("v1", "ConfigMap", undefined);
  const sent = [...requests];
  const all = await remembering.list("v1", "ConfigMap", undefined);
  const inNamespace = await remembering.list("v1", "ConfigMap", "a");
  const named = await remembering.list("v1", "ConfigMap", "a", undefined, "two");
  const counts = [all, inNamespace, named].map((each) => each.ok && each.value.items.length);
  expect(counts).toEqual([3, 2, 1]);
  const one = { apiVersion: "v1", kind: "ConfigMap", namespace: "b", name: "one" };
  expect(await remembering.read(one)).toEqual({ ok: true, value: objectIn("b", "one") });
  expect(await remembering.read({ ...one, name: "two" })).toEqual({ ok: true, value: undefined });
  expect((await remembering.kind("v1", "ConfigMap")).ok).toBe(true);
  expect(requests).toEqual(sent);
  expect(unanswered()).toBe(0);
});

test("a question without an answer is a failure, is counted, and sends nothing", async () => {
  const { cluster, requests } = countingCluster();
  const { asking, remembering, unanswered } = rememberAnswers(cluster);
  await asking.list("v1", "ConfigMap", "a");
  const sent = requests.length;
  const object = objectIn("a", "new");
  const answers = await Promise.all([
    remembering.list("v1", "ConfigMap", undefined),
    remembering.list("v1", "ConfigMap", "a", "app=web"),
    remembering.list("v1", "Secret", "a"),
    remembering.kind("v1", "Secret"),
    remembering.create(object),
    remembering.apply(object, { fieldManager: "a", dryRun: false, force: true }),
    remembering.delete({ apiVersion: "v1", kind: "ConfigMap", namespace: "a", name: "one" }, "1"),
  ]);
  expect(answers.map(({ ok }) => ok)).toEqual(answers.map(() => false));
  expect(requests.length).toBe(sent);
  expect(unanswered()).toBe(5);
});

test("the cluster is asked for objects, permissions and Pods that only the second plan names", async () => {
  const { cluster, requests } = countingCluster();
  const { asking, remembering, unanswered } = rememberAnswers(cluster);
  const review = (verb: string) => ({
    ...{ apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", metadata: {} },
    spec: { resourceAttributes: { verb } },
  });
  await asking.create(review("patch"), { dryRun: true });
  const sent = requests.length;
  await remembering.create(review("patch"), { dryRun: true });
  expect(requests.length, "a remembered answer").toBe(sent);
  const secret = { apiVersion: "v1", kind: "Secret", namespace: "a", name: "password" };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "a", name: "sample" } };
  expect((await remembering.create(review("delete"), { dryRun: true })).ok).toBe(true);
  expect(await remembering.read(secret)).toEqual({ ok: true, value: undefined });
  expect((await remembering.create(pod, { dryRun: true })).ok).toBe(true);
  expect(requests.slice(sent)).toEqual(["create", "read", "create"]);
  expect(unanswered()).toBe(0);
});

test("an object or a permission that only the rollback asks about is asked for once", async () => {
  const { cluster, requests } = countingCluster();
  const { remembering } = rememberAnswers(cluster);
  const address = { apiVersion: "v1", kind: "Secret", namespace: "a", name: "s" };
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: { name: "" },
    spec: { resourceAttributes: { verb: "create" } },
  };
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    await remembering.read(address);
    await remembering.create(review);
  }
  expect(requests).toEqual(["read", "create"]);
});
