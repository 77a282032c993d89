import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { unschedulablePods } from "../../../../src/preflight/rules/unschedulable-pods.ts";
import { around, changeOf, known } from "../rollout-plan.ts";

/**
 * Returns findings about Pods without a rollout, on three nodes of 32 CPUs each, called a, b and c.
 */
function findings(change: Change, facts: Partial<ClusterFacts> = {}): string {
  const plan = {
    deployment: "shop",
    namespace: "shop",
    changes: [change],
    deletions: [],
    kept: [],
  };
  const found = unschedulablePods({
    plan: { ...plan, notices: [], digest: "" },
    facts: { ...around(), ...facts },
    releases: { declared: new Set() },
    placeOf: () => undefined,
  });
  return found
    .map(({ severity, code, what, why }) => `${severity} ${code}: ${what}\n  ${why}`)
    .join("\n");
}

const pod = (spec: string) => `{containers: [{name: main, image: "main:1"}], ${spec}}`;
const asksFor = (amount: string) =>
  `{containers: [{name: main, image: "main:1", resources: {requests: {cpu: "${amount}"}}}]}`;
const elsewhere = pod("nodeSelector: {disk: none}");

const job = (spec: string, own = "") =>
  parse(
    `{apiVersion: batch/v1, kind: Job, metadata: {name: once}, spec: {${own}template: {spec: ${spec}}}}`,
  ) as JsonObject;
const bare = (spec: string) =>
  parse(`{apiVersion: v1, kind: Pod, metadata: {name: once}, spec: ${spec}}`) as JsonObject;
const cron = (spec: string) =>
  parse(
    `{apiVersion: batch/v1, kind: CronJob, metadata: {name: once}, spec: {schedule: "0 0 * * *", jobTemplate: {spec: {template: {spec: ${spec}}}}}}`,
  ) as JsonObject;
const many = (kind: string, spec: string, replicas = 2) =>
  parse(
    `{apiVersion: ${kind === "ReplicaSet" ? "apps/v1" : "v1"}, kind: ${kind}, metadata: {name: once}, spec: {replicas: ${replicas}, template: {spec: ${spec}}}}`,
  ) as JsonObject;

const byRules = "None of the 3 nodes is suitable: 3 excluded by its node rules";
const byRoom =
  "None of the 3 nodes can take one more Pod: 3 without enough cpu. Even empty nodes have no place for it";
const ofJob = "Job shop/once: its Pods can't run on any node";

test.each([
  ["a Job that fits", job(asksFor("100m")), ""],
  ["a Job for nodes that don't exist", job(elsewhere), `error never-fits: ${ofJob}\n  ${byRules}`],
  [
    "a Job that is larger than any node",
    job(asksFor("500")),
    `error never-fits: ${ofJob}\n  ${byRoom}`,
  ],
  [
    "a single Pod",
    bare(elsewhere),
    `error never-fits: Pod shop/once can't run on any node\n  ${byRules}`,
  ],
  [
    "a Pod for a node that doesn't exist",
    bare(pod("nodeName: gone")),
    `error never-fits: Pod shop/once can't run on any node\n  ${byRules}`,
  ],
  [
    "a ReplicaSet",
    many("ReplicaSet", elsewhere),
    `error never-fits: ReplicaSet shop/once: its Pods can't run on any node\n  ${byRules}`,
  ],
  [
    "a ReplicationController",
    many("ReplicationController", elsewhere),
    `error never-fits: ReplicationController shop/once: its Pods can't run on any node\n  ${byRules}`,
  ],
  [
    "a CronJob, whose Pods aren't awaited",
    cron(elsewhere),
    `warning never-fits: CronJob shop/once: its Pods can't run on any node\n  ${byRules}`,
  ],
  ["a suspended Job", job(elsewhere, "suspend: true, "), ""],
  ["a ReplicaSet without Pods", many("ReplicaSet", elsewhere, 0), ""],
  [
    "a Job with Pods next to new ones",
    job(
      pod(
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: other}}, topologyKey: kubernetes.io/hostname}]}}",
      ),
    ),
    "",
  ],
  [
    "a Job whose Pods another scheduler places",
    job(pod("schedulerName: volcano")),
    "note rollout-unknown: Job shop/once: qvs can't predict whether any node can run its Pods\n  Another scheduler places its Pods: volcano",
  ],
])("%s", (_, object, expected) => {
  expect(findings(changeOf(object))).toBe(expected);
});

test("a Job can wait for space on full nodes", () => {
  const running = ["a", "b", "c"].map(
    (name) =>
      parse(
        `{apiVersion: v1, kind: Pod, metadata: {name: "${name}", namespace: shop}, spec: {nodeName: ${name}, containers: [{name: main, resources: {requests: {cpu: "31"}}}]}}`,
      ) as KubeObject,
  );
  expect(findings(changeOf(job(asksFor("8"))), { pods: known(running) })).toBe("");
});

test("an existing Job already has its Pods, but a CronJob creates more", () => {
  expect(findings(changeOf(job(elsewhere), job(elsewhere)))).toBe("");
  expect(findings(changeOf(cron(elsewhere), cron(elsewhere)))).toBe("");
  expect(findings(changeOf(cron(elsewhere), cron(asksFor("1"))))).toContain("warning never-fits");
});

test("a recreated Job creates new Pods", () => {
  const change = { ...changeOf(job(elsewhere), job(asksFor("1"))), action: "replace" } as const;
  expect(findings(change)).toContain("error never-fits");
});

test("a node autoscaler makes the finding a warning", () => {
  expect(findings(changeOf(job(asksFor("500"))), { autoscaler: "Karpenter" })).toBe(
    `warning never-fits: ${ofJob}\n  ${byRoom}. Karpenter might add nodes`,
  );
});

test("the finding names the objects that qvs can't read", () => {
  const nodes = { known: false, why: "no" } as const;
  expect(findings(changeOf(job(elsewhere)), { nodes })).toBe(
    "note rollout-unknown: Job shop/once: qvs can't predict whether any node can run its Pods\n  qvs can't list nodes: no",
  );
});

test("a PersistentVolumeClaim has no volume and no provisioner", () => {
  const claim = parse(
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop}, spec: {storageClassName: gone}}",
  ) as KubeObject;
  const spec = pod("volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]");
  expect(findings(changeOf(job(spec)), { claims: known([claim]) })).toBe(
    `error never-fits: ${ofJob}\n  None of the 3 nodes can take one more Pod: 3 without a volume for its claims. Even empty nodes have no place for it`,
  );
});
