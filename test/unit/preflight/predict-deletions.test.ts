import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../src/model/object.ts";
import type { ClusterFacts } from "../../../src/preflight/cluster-facts.ts";
import { predictDeletions } from "../../../src/preflight/predict-deletions.ts";
import { missingPermission } from "../../../src/preflight/rules/missing-permission.ts";
import { declare } from "../../support/plan/declare.ts";
import { applied, appliedFrom } from "../../support/plan/live.ts";
import { requirePlan, type Situation } from "../../support/plan/plan-text.ts";
import { findingsText, namersFrom, noFacts, rolling, workload } from "./rules/run-rule.ts";

const volume = (name: string, stage = "app", namespace = "shop") =>
  `${stage}/${name}: {apiVersion: v1, kind: PersistentVolume, metadata: {name: ${name}}, spec: {claimRef: {namespace: ${namespace}, name: data}}}\n`;

const itsClaim =
  "app/data: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {}}\n";

const old = "app/old: {apiVersion: v1, kind: ConfigMap, metadata: {name: old}}\n";

const configs = (user: string, kind: string, more = "") => `
- apiVersion: ${kind === "Rollout" ? "argoproj.io/v1alpha1" : kind === "Pod" ? "v1" : "apps/v1"}
  kind: ${kind}
  metadata: {name: ${user}, namespace: shop, uid: ${user}}
  ${kind === "Pod" ? "spec: {containers: [{envFrom: [{configMapRef: {name: old}}]}]}" : `spec: {${more}template: {spec: {containers: [{envFrom: [{configMapRef: {name: old}}]}]}}}`}
`;

function predictedDeletions(situation: Situation, facts: Partial<ClusterFacts>): string {
  const plan = predictDeletions(requirePlan(situation), { ...noFacts, ...facts }, "deploy");
  return plan.kept.map(({ detail }) => detail).join("; ");
}

const ownedBy = (kind: string, uid: string) =>
  `ownerReferences: [{apiVersion: v1, kind: ${kind}, name: ${uid}, uid: ${uid}, controller: true}]`;

/**
 * Returns a workload whose Pod refers to a ConfigMap that isn't in any template, like a Secret that
 * its ServiceAccount adds.
 */
const withPod = (api: string, kind: string, between: string, spec: string, label = "") => `
- {apiVersion: ${api}, kind: ${kind}, metadata: {name: web, namespace: shop, uid: web}, spec: ${spec}}
- apiVersion: ${between === "Job" ? "batch/v1" : "apps/v1"}
  kind: ${between}
  metadata: {name: mid, namespace: shop, uid: mid, ${ownedBy(kind, "web")}}
  spec: {template: {metadata: {labels: {app: web${label}}}, spec: {containers: []}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-1, namespace: shop, uid: pod, ${ownedBy(between, "mid")}}
  spec: {containers: [{envFrom: [{configMapRef: {name: old}}]}]}
`;

const ownTemplate = "{template: {metadata: {labels: {app: web}}, spec: {containers: []}}}";

const jobs = `{schedule: "0 0 * * *", jobTemplate: {spec: ${ownTemplate}}}`;

const naming = "spec: {containers: [{name: c, envFrom: [{configMapRef: {name: old}}]}]}";

const template = `{metadata: {labels: {app: web}}, ${naming}}`;

const why =
  'pods is forbidden: User "u" cannot list resource "pods" in API group "" in the namespace "shop"';

const unknown = { users: new Map([["shop", { known: false as const, why }]]) };

test.each([
  ["that stays", "Bound", volume("disk"), "", "", "PersistentVolumeClaim shop/data is bound to it"],
  [
    "that is declared",
    "Bound",
    volume("disk"),
    itsClaim,
    "",
    "PersistentVolumeClaim shop/data is bound to it",
  ],
  ["that is deleted too", "Bound", volume("disk") + itsClaim, "", "data, disk", ""],
  [
    "that is deleted with its Namespace",
    "Bound",
    `${volume("disk", "app", "own")}app/own: {apiVersion: v1, kind: Namespace, metadata: {name: own}}`,
    "",
    "own, disk",
    "",
  ],
  [
    "that is deleted after appSetup",
    "Bound",
    volume("disk", "appSetup") + itsClaim,
    "",
    "data, disk",
    "",
  ],
  ["that no longer exists", "Released", volume("disk"), "", "disk", ""],
])("a volume with a claim %s", (_, phase, before, stays, gone, why) => {
  const live = [...appliedFrom(before + stays)].map(
    ([key, object]) => [key, { ...object, status: { phase } }] as const,
  );
  const situation = {
    ...{ before: before + stays, declared: stays + old, live: new Map(live) },
    allowDelete: ["everything", "PersistentVolume", "PersistentVolumeClaim", "Namespace"],
  };
  const plan = predictDeletions(requirePlan(situation), noFacts, "deploy");
  expect(plan.deletions.map(({ id }) => id.name).join(", ")).toBe(gone);
  expect(plan.kept.map(({ detail }) => detail).join("; ")).toBe(why);
});

test.each([
  [
    "a workload outside the deployment",
    configs("theirs", "Deployment"),
    "still used by Deployment shop/theirs",
  ],
  ["a DaemonSet", configs("theirs", "DaemonSet"), "still used by DaemonSet shop/theirs"],
  ["a bare Pod", configs("theirs", "Pod"), "still used by Pod shop/theirs"],
  ["nobody", "[]", ""],
  ["a workload that this deployment rolls out", configs("web", "Deployment"), ""],
])("the object that %s still uses is predicted to stay", (_, namers, expected) => {
  const declared = workload("Deployment", rolling("1", "0"));
  expect(predictedDeletions({ before: old + declared, declared }, namersFrom(namers))).toBe(
    expected,
  );
});

test.each([
  ["apps/v1", "Deployment", "ReplicaSet", ownTemplate, ", pod-template-hash: x"],
  ["argoproj.io/v1alpha1", "Rollout", "ReplicaSet", ownTemplate, ", rollouts-pod-template-hash: x"],
  ["batch/v1", "CronJob", "Job", jobs, ""],
])(
  "the Pod of an unchanged %s %s keeps the object that it uses",
  (api, kind, between, spec, label) => {
    const declared = `app/web: {apiVersion: ${api}, kind: ${kind}, metadata: {name: web}, spec: ${spec}}\n`;
    const pods = namersFrom(withPod(api, kind, between, spec, label));
    expect(predictedDeletions({ before: old + declared, declared }, pods)).toBe(
      "still used by Pod shop/web-1",
    );
  },
);

test.each([
  ["apps/v1", "StatefulSet", `{replicas: 0, template: ${template}}`],
  ["apps/v1", "Deployment", `{replicas: 0, template: ${template}}`],
  ["batch/v1", "CronJob", `{schedule: "0 0 * * *", jobTemplate: {spec: {template: ${template}}}}`],
])(
  "an unchanged %s %s without Pods keeps the object that its template names",
  (api, kind, spec) => {
    const declared = `app/web: {apiVersion: ${api}, kind: ${kind}, metadata: {name: web}, spec: ${spec}}\n`;
    const live = `[{apiVersion: ${api}, kind: ${kind}, metadata: {name: web, namespace: shop, uid: web}, spec: ${spec}}]`;
    expect(predictedDeletions({ before: old + declared, declared }, namersFrom(live))).toBe(
      `still used by ${kind} shop/web`,
    );
  },
);

test.each([
  ["ConfigMap", `qvs can't find out whether it is still used: ${why}`],
  ["Service", ""],
])("a deployment keeps a %s if its use is unknown: %s", (kind, expected) => {
  const before = old.replace("ConfigMap", kind);
  const declared = workload("Deployment", rolling("1", "0"));
  expect(predictedDeletions({ before: before + declared, declared }, unknown)).toBe(expected);
});

test("a preview shows the deletion of an object with unknown use and reports the missing permission", () => {
  const declared = workload("Deployment", rolling("1", "0"));
  const plan = requirePlan({ before: old + declared, declared });
  const predicted = predictDeletions(plan, { ...noFacts, ...unknown }, "preview");
  expect(predicted.deletions.map(({ id }) => id.name)).toEqual(["old"]);
  expect(findingsText(missingPermission, plan, unknown)).toBe(
    "note: This identity lacks permissions in namespace shop for some checks\n" +
      "  It isn't allowed to list pods. qvs can't check whether ConfigMap shop/old is still used. A deployment without these permissions keeps objects that might be in use",
  );
});

test.each(["preview", "deploy"] as const)(
  "an object that a declared workload names stays in a %s with unknown use",
  (purpose) => {
    const declared = `app/web: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: ${template}}}\n`;
    const plan = requirePlan({ before: old + declared, declared });
    const { deletions, kept } = predictDeletions(plan, { ...noFacts, ...unknown }, purpose);
    expect(deletions).toEqual([]);
    expect(kept.map((each) => [each.why, each.detail])).toEqual([
      ["in use", "still used by Deployment shop/web"],
    ]);
    expect(findingsText(missingPermission, plan, unknown)).not.toContain("ConfigMap shop/old");
  },
);

const job = (spec: string, annotations = "{}") =>
  `app/web: {apiVersion: batch/v1, kind: Job, metadata: {name: web, annotations: ${annotations}}, spec: {${spec}template: ${template}}}\n`;
const notAwaited = '{vs.axis-dev.io/wait: "false"}';

test.each([
  ["that the deployment waits for", job(""), ""],
  ["that it doesn't wait for", job("", notAwaited), "still used by Job shop/web"],
  ["that is suspended", job("suspend: true, "), "still used by Job shop/web"],
  ["without parallel Pods", job("parallelism: 0, "), "still used by Job shop/web"],
])("the object that a new Job %s uses", (_, declared, expected) => {
  expect(
    predictedDeletions({ before: old, declared: old.replace(/old/g, "new") + declared }, noFacts),
  ).toBe(expected);
});

test.each([
  [
    "Job",
    "batch/v1",
    `{template: ${template}}`,
    '{conditions: [{type: Complete, status: "True"}]}',
  ],
  ["Pod", "v1", naming.slice("spec: ".length), "{phase: Succeeded}"],
])("an unchanged %s that has ended keeps nothing", (kind, api, spec, status) => {
  const declared = `app/web: {apiVersion: ${api}, kind: ${kind}, metadata: {name: web, annotations: ${notAwaited}}, spec: ${spec}}\n`;
  const before = old + declared;
  const predicted = (ended: boolean) => {
    const live = [...appliedFrom(before)].map(([key, object]) =>
      ended && object.kind === kind
        ? ([key, { ...object, status: parse(status) }] as const)
        : ([key, object] as const),
    );
    return predictedDeletions({ before, declared, live: new Map(live) }, noFacts);
  };
  expect(predicted(false)).toBe(`still used by ${kind} shop/web`);
  expect(predicted(true)).toBe("");
});

test.each([
  ["Deployment", "apps/v1", ownTemplate, "{}", ""],
  ["Deployment", "apps/v1", ownTemplate, notAwaited, "still used by Pod shop/web-1"],
  ["CronJob", "batch/v1", jobs, "{}", "still used by Pod shop/web-1"],
])(
  "the object that old Pods of a changed %s of %s use",
  (kind, api, spec, annotations, expected) => {
    const web = (container: string) =>
      `app/web: {apiVersion: ${api}, kind: ${kind}, metadata: {name: web, annotations: ${annotations}}, spec: ${spec.replace("containers: []", `containers: [${container}]`)}}\n`;
    const between = kind === "CronJob" ? "Job" : "ReplicaSet";
    const pods = namersFrom(withPod(api, kind, between, spec));
    const situation = { before: old + web(""), declared: web("{name: new}") };
    expect(predictedDeletions(situation, pods)).toBe(expected);
  },
);

test("references from objects other than workloads don't keep an object", () => {
  const declared = workload("Deployment", rolling("1", "0"));
  const facts = {
    ...namersFrom(configs("theirs", "Pod")),
    referrers: new Map([["shop", { known: false as const, why: "ingresses is forbidden" }]]),
  };
  expect(predictedDeletions({ before: old + declared, declared }, facts)).toBe(
    "still used by Pod shop/theirs",
  );
});

test.each([
  ["StatefulSet", "updateStrategy: {type: OnDelete}", "still used by StatefulSet shop/web"],
  [
    "StatefulSet",
    "updateStrategy: {rollingUpdate: {partition: 1}}",
    "still used by StatefulSet shop/web",
  ],
  ["StatefulSet", "updateStrategy: {rollingUpdate: {partition: 0}}", ""],
  [
    "Deployment",
    "paused: true",
    "for now: Deployment shop/web is held back, and its old Pods might still use it",
  ],
  [
    "Rollout",
    "strategy: {canary: {steps: [{setWeight: 20}, {pause: {}}]}}",
    "for now: Rollout shop/web is held back, and its old Pods might still use it",
  ],
  ["Rollout", "strategy: {canary: {steps: [{setWeight: 20}]}}", ""],
  [
    "Rollout",
    "strategy: {blueGreen: {autoPromotionEnabled: false}}",
    "for now: Rollout shop/web is held back, and its old Pods might still use it",
  ],
])("the old Pods of a %s with %s keep the object: %s", (kind, spec, expected) => {
  const before = old + workload(kind, spec);
  const declared = workload(kind, spec, "web:2");
  expect(predictedDeletions({ before, declared }, namersFrom(configs("web", kind)))).toBe(expected);
});

test("an unchanged rollout doesn't pause again, even if its controller has filled in fields", () => {
  const declared = workload("Rollout", "strategy: {canary: {steps: [{pause: {}}]}}");
  const filled = declare(declared).map((desired): readonly [string, KubeObject] => {
    const live = applied(desired);
    const spec = { ...(live["spec"] as object), template: { filled: "in" } };
    return [desired.key, { ...live, spec, status: { phase: "Healthy" } }];
  });
  const plan = requirePlan({ before: old + declared, declared });
  const [, live] = filled[0] ?? [];
  const changes = plan.changes.map((change) => ({ ...change, live }));
  expect(predictDeletions({ ...plan, changes }, noFacts, "deploy").kept).toEqual([]);
});
