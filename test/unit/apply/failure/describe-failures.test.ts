import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import {
  describeEvidence,
  describeFailures,
} from "../../../../src/apply/failure/describe-failures.ts";
import { type FailureEvidence, gatherEvidence } from "../../../../src/apply/failure/evidence.ts";
import { chooseRemedy, type Unreadiness } from "../../../../src/apply/failure/fail.ts";
import type { Json } from "../../../../src/model/json.ts";
import { isKubeObject, type KubeObject } from "../../../../src/model/object.ts";
import { listFixes } from "../../../../src/model/problems/problem-text.ts";
import { fakeCluster } from "../../../support/fake-cluster.ts";

/** A rollout whose newest ReplicaSet crashes while the older one still serves. */
const objects = parse(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: d}
spec: {replicas: 2, selector: {matchLabels: {app: web}}}
status: {conditions: [{type: Available, status: "True"}, {type: Progressing, status: "False",
  reason: ProgressDeadlineExceeded, message: too slow}]}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-old, namespace: shop, uid: old, labels: {app: web}, ownerReferences: [{uid: d}],
  annotations: {deployment.kubernetes.io/revision: "9"}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-new, namespace: shop, uid: new, labels: {app: web}, ownerReferences: [{uid: d}],
  annotations: {deployment.kubernetes.io/revision: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-old-1, namespace: shop, uid: p1, labels: {app: web}, ownerReferences: [{uid: old}]}
status: {phase: Running, conditions: [{type: Ready, status: "False", reason: NotThisOne}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-new-1, namespace: shop, uid: p2, labels: {app: web}, ownerReferences: [{uid: new}]}
status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable,
  message: 0/3 nodes are available}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-new-2, namespace: shop, uid: p3, labels: {app: web}, ownerReferences: [{uid: new}]}
status: {phase: Running, containerStatuses: [{name: web, image: "shop/web:2", restartCount: 4,
  state: {waiting: {reason: CrashLoopBackOff, message: back-off 1m20s}},
  lastState: {terminated: {exitCode: 2, reason: Error}}}]}
---
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: shop}
type: Warning
reason: BackOff
message: Back-off restarting failed container
count: 12
lastTimestamp: "2026-01-01T10:00:00Z"
involvedObject: {kind: Pod, namespace: shop, name: web-new-2, uid: p3}
---
apiVersion: v1
kind: Event
metadata: {name: e2, namespace: shop}
type: Warning
reason: FailedScheduling
message: 0/3 nodes are available
lastTimestamp: "2026-01-01T10:01:00Z"
involvedObject: {kind: Pod, namespace: shop, name: web-new-1, uid: p2}
---
apiVersion: v1
kind: Event
metadata: {name: e3, namespace: shop}
type: Warning
reason: Unrelated
message: about something else
lastTimestamp: "2026-01-01T10:02:00Z"
involvedObject: {kind: Pod, namespace: shop, name: other, uid: p9}
`);

function parse(yaml: string): readonly KubeObject[] {
  const documents: Json[] = parseAllDocuments(yaml).map((document) => document.toJS());
  return documents.filter(isKubeObject);
}

it("a failed rollout is reported with its cause, evidence, changes and fixes", async () => {
  const [deployment] = objects;
  if (deployment === undefined) throw new Error("no object");
  const evidence = await gatherEvidence(fakeCluster(objects), deployment);
  const status = "ProgressDeadlineExceeded: too slow (0/2 ready)";
  const failure = {
    key: "apps:Deployment::shop/web",
    name: "Deployment shop/web",
    resource: "web",
    what: "failed",
    facts: [{ label: "status", value: status }],
    ...chooseRemedy(evidence, { status }),
    evidence,
  };
  const text = describeFailures({
    succeeded: false,
    results: [
      { key: "a", outcome: "updated", detail: "" },
      { key: "b", outcome: "failed", detail: "" },
      { key: "c", outcome: "not attempted", detail: "" },
      { key: "d", outcome: "not attempted", detail: "" },
    ],
    failures: [failure],
    stopped: undefined,
    stillServing: ["not deleted: ConfigMap shop/old"],
  });
  expect(text).toBe(`\
error[container-crashed]: Deployment shop/web: failed
  resource: web
  status:   ProgressDeadlineExceeded: too slow (0/2 ready)
  why: The program in the container exits by itself
  evidence:
    Pod web-new-2: Running, not ready
      container web: CrashLoopBackOff: back-off 1m20s, exit code 2 (Error), 4 restarts (image shop/web:2)
      last log lines of container web:
        | listening on :8080
        | panic: no database
    Pod web-new-1: Pending
      scheduler: Unschedulable: 0/3 nodes are available
    event on Pod shop/web-new-2: BackOff: Back-off restarting failed container (12 times)
  help: Correct the program by its exit code and log, then run again

Current state:
  not deleted: ConfigMap shop/old`);
});

/** Returns the report about a Deployment `web` with these objects. */
async function report(yaml: string, conditions: readonly object[] = []): Promise<string> {
  const known = parse(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: d}
spec: {replicas: 2, selector: {matchLabels: {app: web}}}
status: {conditions: ${JSON.stringify(conditions)}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web-1, namespace: shop, uid: r, labels: {app: web}, ownerReferences: [{uid: d}]}
---
${yaml}`);
  const [deployment] = known;
  if (deployment === undefined) throw new Error("no object");
  const evidence = await gatherEvidence(fakeCluster(known), deployment);
  return [...describeEvidence(evidence), ...helpIn(evidence, { status: "0/2 ready" })].join("\n");
}

function helpIn(evidence: FailureEvidence, unreadiness: Unreadiness): readonly string[] {
  const remedy = chooseRemedy(evidence, unreadiness);
  return [
    ...(remedy.why === undefined ? [] : [`why: ${remedy.why}`]),
    ...listFixes(remedy).map((fix) => `→ ${fix}`),
  ];
}

const pod = (name: string, status: string) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, uid: ${name}, labels: {app: web}, ownerReferences: [{uid: r}]}
status: ${status}
---`;

const warning = (number: number, on: string, reason: string, message: string) => `
apiVersion: v1
kind: Event
metadata: {name: e${number}, namespace: shop}
type: Warning
reason: ${reason}
message: ${JSON.stringify(message)}
lastTimestamp: "2026-01-01T10:0${number}:00Z"
involvedObject: {kind: ${on.split(" ")[0]}, namespace: shop, name: ${on.split(" ")[1]}, uid: ${on.split(" ")[2]}}
---`;

const pulling = `{phase: Pending, containerStatuses: [{name: main, image: "web:9",
  state: {waiting: {reason: ImagePullBackOff, message: 'Back-off pulling image "web:9"'}}}]}`;
const unschedulable = `{phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable,
  message: "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."}]}`;
const quota = (name: string) =>
  `Error creating: pods "${name}" is forbidden: exceeded quota: small, requested: pods=1`;

const refusal = {
  type: "ReplicaFailure",
  status: "True",
  reason: "FailedCreate",
  message: quota("web-1-y").replace("Error creating: ", ""),
};

it.each<[string, string, string, object[]?]>([
  [
    "replicas with the same failure are reported once",
    pod("web-1-a", pulling) +
      pod("web-1-b", pulling) +
      warning(1, "Pod web-1-a web-1-a", "Failed", "Failed to pull image: not found") +
      warning(2, "Pod web-1-b web-1-b", "Failed", "Failed to pull image: not found"),
    `Pod web-1-a: Pending
  container main: ImagePullBackOff: Back-off pulling image "web:9"
Pod web-1-b: Pending, the same as web-1-a
event on Pod shop/web-1-b: Failed: Failed to pull image: not found (2 times)
→ Check that the image and its tag exist
→ or set imagePullSecrets if the cluster isn't allowed to pull the image`,
  ],
  [
    "the scheduler's message is reported once",
    pod("web-1-a", unschedulable) +
      warning(
        1,
        "Pod web-1-a web-1-a",
        "FailedScheduling",
        "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.",
      ),
    `Pod web-1-a: Pending
  scheduler: Unschedulable: 0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.
why: No node satisfies the anti-affinity next to the old Pods
→ Set maxUnavailable to 1 or more for this rollout; for later ones, add matchLabelKeys: [pod-template-hash] to the term`,
  ],
  [
    "a label that is already in the selector has another fix than anti-affinity",
    warning(
      1,
      "ReplicaSet web-1 r",
      "FailedCreate",
      'Error creating: Pod "web-1-x" is invalid: spec.affinity.podAntiAffinity[0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector',
    ),
    `event on ReplicaSet shop/web-1: FailedCreate: Error creating: Pod "web-1-x" is invalid: spec.affinity.podAntiAffinity[0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector
why: matchLabelKeys is for labels that a controller gives the Pods of each version, such as pod-template-hash
→ Remove the label from matchLabelKeys
→ or remove the label from the labelSelector next to it`,
  ],
  [
    "a quota that rejects one Pod after another is one event",
    warning(1, "ReplicaSet web-1 r", "FailedCreate", quota("web-1-x")) +
      warning(2, "ReplicaSet web-1 r", "FailedCreate", quota("web-1-y")) +
      warning(
        3,
        "ReplicaSet web-1 r",
        "FailedCreate",
        `(combined from similar events): ${quota("web-1-z")}`,
      ),
    `event on ReplicaSet shop/web-1: FailedCreate: (combined from similar events): ${quota("web-1-z")} (3 times)
→ Raise the quota of the namespace
→ or request less`,
  ],
  [
    "an event isn't repeated if a condition reports it",
    `
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: shop}
type: Warning
reason: FailedCreate
message: '(combined from similar events): ${quota("web-1-x")}'
involvedObject: {kind: Deployment, namespace: shop, name: web, uid: d}
---`,
    `condition ReplicaFailure=True FailedCreate: ${quota("web-1-y").replace("Error creating: ", "")}
→ Raise the quota of the namespace
→ or request less`,
    [refusal],
  ],
  [
    "a policy that denies the Pods is named",
    warning(
      1,
      "ReplicaSet web-1 r",
      "FailedCreate",
      `pods "web-1-x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`,
    ),
    `event on ReplicaSet shop/web-1: FailedCreate: pods "web-1-x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no
→ Change the object as the message requires
→ or ask the administrators of the cluster to change the policy`,
  ],
  [
    "an exited program is reported with its last output",
    pod(
      "web-1-a",
      `{phase: Running, containerStatuses: [{name: main, image: "web:9", restartCount: 3,
        state: {waiting: {reason: CrashLoopBackOff, message: back-off 40s}},
        lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}]}`,
    ),
    `Pod web-1-a: Running, not ready
  container main: CrashLoopBackOff: back-off 40s, exit code 137 (OOMKilled), 3 restarts (image web:9)
  last log lines of container main:
    | listening on :8080
    | panic: no database
→ Raise resources.limits.memory of the container
→ or find out why the container uses so much memory`,
  ],
])("%s", async (_, yaml, expected, conditions) => {
  expect(await report(yaml, conditions)).toBe(expected);
});

it.each([
  [
    "1",
    [
      "why: A StatefulSet doesn't replace Pods that aren't ready",
      "→ Check that the image and its tag exist. While the correction or an earlier release is being deployed, run kubectl delete pod db-1 -n shop",
      "→ or set imagePullSecrets if the cluster isn't allowed to pull the image",
    ],
  ],
  [
    "2",
    [
      "why: The StatefulSet waits for Pods of an earlier version and doesn't replace them",
      "→ Run kubectl delete pod db-1 -n shop",
    ],
  ],
])("a StatefulSet that waits for a Pod of revision 1 and needs %s", async (revision, help) => {
  const known = parse(`
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop, uid: s}
spec: {selector: {matchLabels: {app: db}}}
status: {updateRevision: "${revision}"}
---
apiVersion: v1
kind: Pod
metadata: {name: db-1, namespace: shop, uid: p, labels: {app: db, controller-revision-hash: "1"}, ownerReferences: [{uid: s}]}
status: ${pulling}`);
  const [set] = known;
  if (set === undefined) throw new Error("no object");
  const evidence = await gatherEvidence(fakeCluster(known), set);
  expect(helpIn(evidence, { status: "0/1 ready" })).toEqual(help);
});

it.each([
  [
    "Nope",
    false,
    [
      "→ Correct the cause that the evidence shows, then run again",
      "→ or raise --timeout if it only needs more time",
    ],
  ],
  ["Stalled: Nope", true, ["→ Correct the cause that the evidence shows, then run again"]],
  [
    "it was deleted while qvs waited for it",
    true,
    [
      "→ Find out who deleted it, then run again: the new plan starts from the current state of the cluster",
    ],
  ],
])(
  "the report suggests fixes for an object with only this status: %s",
  async (status, hasFailed, help) => {
    const [object] = parse(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}",
    );
    if (object === undefined) throw new Error("no object");
    const evidence = await gatherEvidence(fakeCluster([]), object);
    expect(helpIn(evidence, { status, hasFailed })).toEqual(help);
  },
);

const notFound =
  'rpc error: code = NotFound desc = failed to pull and unpack image "web:2": failed to resolve image: web:2: not found';

it.each([
  ["of an old kubelet", 'Back-off pulling image "web:2"', "Failed to pull image: not found", true],
  [
    "of a kubelet since 1.32",
    `Back-off pulling image "web:2": ErrImagePull: ${notFound}`,
    `Failed to pull image "web:2": ${notFound}`,
    false,
  ],
])("the evidence doesn't repeat the state %s", (_, message, event, isShown) => {
  const image = { name: "web", image: "web:2", message };
  const container = {
    ...{ ...image, running: false, waitingFor: "ImagePullBackOff" },
    ...{ exitCode: undefined, exitReason: "", restarts: 0 },
  };
  const pod = (name: string) => ({
    name,
    phase: "Pending",
    scheduler: undefined,
    containers: [container],
    logs: {},
  });
  const warning = (message: string) => ({
    about: "Pod shop/web-1",
    reason: "Failed",
    message,
    count: 1,
  });
  const evidence = {
    pods: [pod("web-1"), pod("web-2")],
    podCount: 3,
    conditions: [],
    warnings: [event, "Error: ErrImagePull", "Error: ImagePullBackOff"].map(warning),
  };
  const report = `Pod web-1: container web: ImagePullBackOff: ${message}`;
  expect(describeEvidence(evidence as never, report)).toEqual([
    "Pod web-2: Pending, the same as web-1",
    "and 1 other Pod",
    ...(isShown ? [`event on Pod shop/web-1: Failed: ${event}`] : []),
  ]);
});
