import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { cureFor } from "../../src/apply/cure.ts";
import { describeFailures } from "../../src/apply/describe-failures.ts";
import { gatherEvidence } from "../../src/apply/evidence.ts";
import type { Json } from "../../src/model/json.ts";
import { isKubeObject, type KubeObject } from "../../src/model/object.ts";
import { fakeCluster } from "../support/fake-cluster.ts";

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

it("a failed rollout is told as cause, evidence, what was done, and what to do", async () => {
  const [deployment] = objects;
  if (deployment === undefined) throw new Error("no object");
  const evidence = await gatherEvidence(fakeCluster(objects), deployment);
  const what = "ProgressDeadlineExceeded: too slow (0/2 ready)";
  const failure = {
    key: "apps:Deployment::shop/web",
    name: "Deployment shop/web",
    resource: "web",
    what,
    fix: cureFor(evidence, what),
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
    stillServing: ["still there, not deleted: ConfigMap shop/old"],
  });
  expect(text).toBe(`\
Deployment shop/web (resource web) failed: ProgressDeadlineExceeded: too slow (0/2 ready)

What the cluster says about Deployment shop/web:
  Pod web-new-2: Running
    container web: CrashLoopBackOff: back-off 1m20s, exit code 2 (Error), 4 restarts (image shop/web:2)
    last log lines of container web:
      | listening on :8080
      | panic: no database
  Pod web-new-1: Pending
    scheduler: Unschedulable: 0/3 nodes are available
  condition Progressing=False ProgressDeadlineExceeded: too slow
  event on Pod shop/web-new-1: FailedScheduling: 0/3 nodes are available
  event on Pod shop/web-new-2: BackOff: Back-off restarting failed container (12 times)

Where things are now:
  1 updated, 1 failed, 2 not attempted
  still there, not deleted: ConfigMap shop/old

What to do:
  Deployment shop/web: the program ends by itself: see exit code and log, correct it and run again`);
});
