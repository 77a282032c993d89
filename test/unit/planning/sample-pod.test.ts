import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { KubeObject } from "../../../src/model/object.ts";
import type { Change } from "../../../src/model/plan/plan.ts";
import { dryRunPod, sampleClaims } from "../../../src/planning/dry-run-pods.ts";
import { samplePod } from "../../../src/planning/sample-pod.ts";
import { fakeCluster } from "../../support/fake-cluster.ts";
import { text } from "../../support/plan/declare.ts";
import { planOf, type Situation } from "../../support/plan/plan-text.ts";

function podOf(situation: Situation, adjust: (change: Change) => Change = (change) => change) {
  const result = planOf(situation);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return samplePod(adjust(result.value.changes[0] as Change));
}

const deployment = (image: string) => `
app/web:
  apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web}
  spec:
    template:
      metadata: {labels: {app: web}, annotations: {team: a}}
      spec: {containers: [{name: web, image: "${image}"}]}
`;

const job = `
app/run:
  apiVersion: batch/v1
  kind: Job
  metadata: {name: run}
  spec:
    template: {spec: {restartPolicy: Never}}
`;

const cron = `
app/run:
  apiVersion: batch/v1
  kind: CronJob
  metadata: {name: run}
  spec:
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never}}}}
`;

/** Adds fields such as `replicas: 2, paused: true` to the spec of an object. */
function having(fields: string, object: string): string {
  const lines = fields.split(", ").map((field) => `    ${field}\n`);
  return object.replace("  spec:\n", `  spec:\n${lines.join("")}`);
}

test.each([
  [
    "of a Deployment, as its ReplicaSet creates it",
    deployment("web:1"),
    `
    apiVersion: v1
    kind: Pod
    metadata:
      annotations: {team: a}
      labels: {app: web, pod-template-hash: preview}
      generateName: web-
      namespace: shop
      ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: 00000000-0000-0000-0000-000000000000, controller: true}]
    spec: {containers: [{name: web, image: "web:1"}]}
    `,
  ],
  [
    "of a StatefulSet, with its claims as volumes",
    `
app/db:
  apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db}
  spec:
    template: {spec: {volumes: [{name: data, emptyDir: {}}, {name: tmp, emptyDir: {}}]}}
    volumeClaimTemplates: [{metadata: {name: data}}]
`,
    `
    apiVersion: v1
    kind: Pod
    metadata:
      labels: {controller-revision-hash: db-previewing, apps.kubernetes.io/pod-index: "0", statefulset.kubernetes.io/pod-name: db-0}
      generateName: db-
      namespace: shop
      ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: 00000000-0000-0000-0000-000000000000, controller: true}]
    spec: {volumes: [{name: tmp, emptyDir: {}}, {name: data, persistentVolumeClaim: {claimName: data-db-0}}], hostname: db-0}
    `,
  ],
  [
    "of a StatefulSet with other start ordinals",
    `
app/db:
  apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db}
  spec: {serviceName: dbs, ordinals: {start: 5}, template: {spec: {}}}
`,
    `
    apiVersion: v1
    kind: Pod
    metadata:
      labels: {controller-revision-hash: db-previewing, apps.kubernetes.io/pod-index: "5", statefulset.kubernetes.io/pod-name: db-5}
      generateName: db-
      namespace: shop
      ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: 00000000-0000-0000-0000-000000000000, controller: true}]
    spec: {hostname: db-5, subdomain: dbs}
    `,
  ],
  [
    "of a Job",
    `
app/run:
  apiVersion: batch/v1
  kind: Job
  metadata: {name: run}
  spec: {template: {spec: {restartPolicy: Never}}}
`,
    `
    apiVersion: v1
    kind: Pod
    metadata:
      labels: {batch.kubernetes.io/job-name: run, batch.kubernetes.io/controller-uid: preview, job-name: run, controller-uid: preview}
      generateName: run-
      namespace: shop
      ownerReferences: [{apiVersion: batch/v1, kind: Job, name: run, uid: 00000000-0000-0000-0000-000000000000, controller: true}]
    spec: {restartPolicy: Never}
    `,
  ],
  [
    "of a Job with its own selector",
    `
app/run:
  apiVersion: batch/v1
  kind: Job
  metadata: {name: run}
  spec: {manualSelector: true, template: {metadata: {labels: {run: a}}, spec: {restartPolicy: Never}}}
`,
    `
    apiVersion: v1
    kind: Pod
    metadata:
      labels: {run: a}
      generateName: run-
      namespace: shop
      ownerReferences: [{apiVersion: batch/v1, kind: Job, name: run, uid: 00000000-0000-0000-0000-000000000000, controller: true}]
    spec: {restartPolicy: Never}
    `,
  ],
  [
    "of a CronJob, through a Job",
    `
app/run:
  apiVersion: batch/v1
  kind: CronJob
  metadata: {name: run}
  spec: {jobTemplate: {spec: {template: {spec: {restartPolicy: Never}}}}}
`,
    `
    apiVersion: v1
    kind: Pod
    metadata:
      labels: {batch.kubernetes.io/job-name: run-00000000, batch.kubernetes.io/controller-uid: preview, job-name: run-00000000, controller-uid: preview}
      generateName: run-
      namespace: shop
      ownerReferences: [{apiVersion: batch/v1, kind: Job, name: run, uid: 00000000-0000-0000-0000-000000000000, controller: true}]
    spec: {restartPolicy: Never}
    `,
  ],
])("the Pod %s", (_, declared, expected) => {
  expect(stringify(podOf({ declared }))).toBe(stringify(yaml(expected)));
});

function yaml(indented: string): unknown {
  return parse(text(indented));
}

test("an object without Pods or with unchanged Pods has no sample Pod", () => {
  const config = "app/a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}";
  expect(podOf({ declared: config })).toBeUndefined();
  const before = deployment("web:1");
  expect(podOf({ before, declared: before })).toBeUndefined();
  const fewer = having("replicas: 3", before);
  expect(podOf({ before: fewer, declared: before })).toBeUndefined();
  expect(podOf({ before, declared: deployment("web:2") })?.spec).toEqual({
    containers: [{ name: "web", image: "web:2" }],
  });
});

test.each([
  ["more replicas", deployment("web:1"), "replicas: 1", "replicas: 2", true],
  ["fewer", deployment("web:1"), "replicas: 3", "replicas: 2", false],
  ["the same number", deployment("web:1"), "minReadySeconds: 1", "minReadySeconds: 2", false],
  ["an ending pause", deployment("web:1"), "paused: true", "paused: false", true],
  ["a new pause", deployment("web:1"), "replicas: 1", "replicas: 2, paused: true", false],
  ["a continued Job", job, "suspend: true", "suspend: false", true],
  ["a Job that starts Pods", job, "parallelism: 0", "parallelism: 1", true],
  ["a Job that stops", job, "suspend: false", "suspend: true", false],
  ["a continued CronJob", cron, "suspend: true", "suspend: false", true],
])("an object with an unchanged template: %s", (_, object, before, declared, hasSample) => {
  const pod = podOf({ before: having(before, object), declared: having(declared, object) });
  expect(pod !== undefined).toBe(hasSample);
});

test("a Deployment that was updated before its pause has no sample Pod", () => {
  const done = (change: Change): Change => ({
    ...change,
    live: { ...(change.live as KubeObject), status: { updatedReplicas: 1 } },
  });
  const [before, declared] = ["paused: true", "paused: false"].map((spec) =>
    having(spec, deployment("web:1")),
  ) as [string, string];
  expect(podOf({ before, declared }, done)).toBeUndefined();
});

test("an additional Pod of a StatefulSet has one more PersistentVolumeClaim, which is dry-run", () => {
  const set = `
app/db:
  apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db}
  spec:
    template: {spec: {}}
    volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}]
`;
  const claimsOf = (before: string, declared: string) => {
    const result = planOf({ before: having(before, set), declared: having(declared, set) });
    if (!result.ok) throw new Error(JSON.stringify(result.problems));
    return sampleClaims(result.value.changes[0] as Change).map((claim) => claim["spec"]);
  };
  expect(claimsOf("replicas: 1", "replicas: 3")).toEqual([{ accessModes: ["ReadWriteOnce"] }]);
  expect(claimsOf("replicas: 3", "replicas: 1")).toEqual([]);
});

test("an object that might contain a Secret's value has no sample Pod", () => {
  const situation = { declared: deployment("web:1") };
  const pieces = [{ on: "core:Secret::shop/key", path: ["data"], text: "key.data", secret: true }];
  const late = [{ path: ["spec"], pieces, base64: false, awaits: undefined, secretValues: hides }];
  expect(podOf(situation, (change) => ({ ...change, applyTimeReferences: late }))).toBeUndefined();
  expect(podOf(situation, (change) => ({ ...change, dryRunSkipped: "a reason" }))).toBeUndefined();
  const previousSecretValues = ["correct-horse"];
  expect(podOf(situation, (change) => ({ ...change, previousSecretValues }))).toBeUndefined();
});

test("the sample Pod of another owner's object contains no live fields", () => {
  const live = { apiVersion: "apps/v1", kind: "Deployment", metadata: {} };
  const pod = podOf({ declared: deployment("web:1") }, (change) => ({
    ...change,
    predicted: { ...change.desired, spec: { template: { spec: { theirs: "live" } } } },
    redacted: { live, predicted: undefined, isComplete: false },
  }));
  expect(JSON.stringify(pod)).not.toContain("theirs");
});

test("another owner's object with an ignored image has no sample Pod", () => {
  const path = 'spec.template.spec.containers["web"].image';
  const ignoring = deployment("web:1").replace(
    "{name: web}",
    `{name: web, annotations: {vs.axis-dev.io/ignore-changes: '${path}'}}`,
  );
  const foreign = (change: Change): Change => ({
    ...change,
    redacted: { live: change.desired, predicted: undefined, isComplete: false },
  });
  expect(podOf({ declared: ignoring }, foreign)).toBeUndefined();
  expect(podOf({ declared: ignoring.replace(path, "spec.replicas") }, foreign)).toBeDefined();
});

const hides = { declared: [], live: [] };

test("a Pod is only ever dry-run", async () => {
  const cluster = fakeCluster();
  const dryRuns: unknown[] = [];
  const watched = {
    ...cluster,
    create: async (object: KubeObject, how?: { readonly dryRun?: boolean }) => {
      dryRuns.push([object.kind, how]);
      return { ok: true, value: object } as const;
    },
  };
  const planned = planOf({ declared: deployment("web:1") });
  if (!planned.ok) throw new Error("no plan");
  for (const change of planned.value.changes) await dryRunPod(watched, change);
  expect(dryRuns).toEqual([["Pod", { dryRun: true }]]);
});
