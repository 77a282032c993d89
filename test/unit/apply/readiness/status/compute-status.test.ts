import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { computeStatus } from "../../../../../src/apply/readiness/status/compute-status.ts";
import type { StatusFacts } from "../../../../../src/apply/readiness/status/conditions.ts";
import { createHealthEvaluator } from "../../../../../src/health/evaluator.ts";
import type { Json } from "../../../../../src/model/json.ts";
import { isKubeObject, type KubeObject } from "../../../../../src/model/object.ts";

const health = createHealthEvaluator();
const now = new Date("2026-01-01T12:00:00Z");

/** Returns `ready`, or state and reason as one text. */
function check(yaml: string, facts: Partial<StatusFacts> = {}): string {
  const object = objectIn(yaml);
  const status = computeStatus(object, {
    now,
    baseline: undefined,
    binding: "at once",
    health,
    ...facts,
  });
  if (status.state !== "ready") return `${status.state}: ${status.why}`;
  return status.notice === undefined ? "ready" : `ready (${status.notice})`;
}

function objectIn(yaml: string): KubeObject {
  const object: Json = parse(yaml);
  if (!isKubeObject(object)) throw new Error(`not an object: ${yaml}`);
  return object;
}

describe("a suspension", () => {
  const byQueue = (spec: string, manager = "kueue", operation = "Update") =>
    `status: {observedGeneration: 1}, metadata: {name: x, generation: 1, managedFields: [{manager: ${manager}, operation: ${operation}, time: "2026-01-01T00:00:00Z", fieldsV1: {"f:spec": ${spec}}}]}`;
  const kinds: readonly (readonly [string, string, string, string])[] = [
    ["batch/v1", "Job", "suspend", "ready (suspended by spec.suspend)"],
    ["batch/v1", "CronJob", "suspend", "ready"],
    [
      "kustomize.toolkit.fluxcd.io/v1",
      "Kustomization",
      "suspend",
      "suspended: suspended by spec.suspend",
    ],
    ["argoproj.io/v1alpha1", "Rollout", "paused", "suspended: paused by spec.paused"],
    ["apps/v1", "Deployment", "paused", "suspended: paused by spec.paused"],
    ["batch.example.com/v1", "Queued", "suspend", "suspended: suspended by spec.suspend"],
  ];
  it.each(kinds)(
    "in a %s %s is intended if %s is declared",
    (apiVersion, kind, field, expected) => {
      const object = `{apiVersion: ${apiVersion}, kind: ${kind}, ${byQueue(`{"f:${field}": {}}`)}, spec: {${field}: true}}`;
      expect(check(object, { suspends: true })).toBe(expected);
      const suspendedBy = (by: string) =>
        `waiting: suspended by spec.${field}, set by ${by} and not declared in the manifest`;
      expect(check(object, { suspends: false })).toBe(
        suspendedBy('"kueue" since 2026-01-01T00:00:00Z'),
      );
      const undeclared = `{apiVersion: ${apiVersion}, kind: ${kind}, ${byQueue("{}")}, spec: {${field}: true}}`;
      expect(check(undeclared, { suspends: false })).toBe(
        suspendedBy("an admission webhook or policy"),
      );
    },
  );

  it("in an object outside the deployment is intended if a tool has applied it", () => {
    const job = (owned: string) =>
      `{apiVersion: batch/v1, kind: Job, ${owned}, spec: {suspend: true}}`;
    expect(check(job(byQueue('{"f:suspend": {}}', "other", "Apply")))).toBe(
      "ready (suspended by spec.suspend)",
    );
    expect(check(job(byQueue('{"f:suspend": {}}')))).toContain("waiting: ");
  });

  it("in a completed Deployment doesn't make it unready", () => {
    const whole = (updated: number) =>
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, generation: 1}, spec: {replicas: 2, paused: true},
        status: {observedGeneration: 1, replicas: 2, updatedReplicas: ${updated}, availableReplicas: 2}}`;
    expect(check(whole(2), { suspends: false })).toBe("ready");
    expect(check(whole(1), { suspends: false })).toContain("waiting: suspended by spec.paused");
  });

  it("does not hide a failure", () => {
    const job =
      "{apiVersion: batch/v1, kind: Job, metadata: {name: x}, spec: {suspend: true}, status: {conditions: [{type: Failed, status: 'True', reason: No}]}}";
    expect(check(job, { suspends: false })).toContain("failed: No");
  });
});

interface Case {
  readonly name: string;
  readonly object: string;
  readonly expected: string;
}

function of(apiVersion: string, kind: string, rest: string, metadata = "generation: 2"): string {
  return `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x, ${metadata}}, ${rest}}`;
}

const deployment = (rest: string) => of("apps/v1", "Deployment", rest);
const available = `{type: Available, status: "True"}`;

const cases: Readonly<Record<string, readonly Case[]>> = {
  Deployment: [
    {
      name: "is ready when all replicas are updated and available and no old one is left",
      object: deployment(`spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 3,
        updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3, conditions: [${available}]}`),
      expected: "ready",
    },
    {
      name: "waits until its controller has observed it",
      object: deployment("spec: {replicas: 3}"),
      expected: "waiting: its controller hasn't observed it yet",
    },
    {
      name: "isn't ready with the status of the previous spec",
      object: deployment(`spec: {replicas: 1}, status: {observedGeneration: 1, replicas: 1,
        updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, conditions: [${available}]}`),
      expected: "waiting: its controller hasn't observed the change yet",
    },
    {
      name: "waits while an old replica is left",
      object: deployment(`spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 4,
        updatedReplicas: 3, readyReplicas: 4, availableReplicas: 4, conditions: [${available}]}`),
      expected: "waiting: new 3/3, old 1, 4 of 4 Pods ready",
    },
    {
      name: "counts in the middle of a rollout",
      object: deployment(`spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 4,
        updatedReplicas: 1, readyReplicas: 2, availableReplicas: 2}`),
      expected: "waiting: new 1/3, old 3, 2 of 4 Pods ready",
    },
    {
      name: "waits for minReadySeconds, because ready replicas aren't available yet",
      object: deployment(`spec: {replicas: 1}, status: {observedGeneration: 2, replicas: 1,
        updatedReplicas: 1, readyReplicas: 1, conditions: [${available}]}`),
      expected: "waiting: new 1/1, 1 ready, 0 available",
    },
    {
      name: "is ready without replicas",
      object: deployment(
        `spec: {replicas: 0}, status: {observedGeneration: 2, conditions: [${available}]}`,
      ),
      expected: "ready",
    },
    {
      name: "fails once its progress deadline is exceeded",
      object: deployment(`spec: {replicas: 3}, status: {observedGeneration: 2, replicas: 3,
        updatedReplicas: 1, readyReplicas: 2, conditions: [{type: Progressing, status: "False",
        reason: ProgressDeadlineExceeded, message: too slow}]}`),
      expected:
        "failed: ProgressDeadlineExceeded: too slow (new 1/3, old 2, 2 of 3 Pods ready, 0 available)",
    },
    {
      name: "doesn't fail because the previous spec exceeded its deadline",
      object: deployment(`spec: {replicas: 3}, status: {observedGeneration: 1, conditions:
        [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded}]}`),
      expected: "waiting: its controller hasn't observed the change yet",
    },
    {
      name: "reports that the API server rejects its Pods",
      object: deployment(`spec: {replicas: 1}, status: {observedGeneration: 2, conditions:
        [{type: ReplicaFailure, status: "True", reason: FailedCreate, message: exceeded quota}]}`),
      expected: "waiting: new 0/1, 0 ready; FailedCreate: exceeded quota",
    },
    {
      name: "is suspended and not awaited while paused",
      object: deployment("spec: {paused: true}"),
      expected: "suspended: paused by spec.paused",
    },
  ],
  StatefulSet: [
    {
      name: "is ready when every replica runs the update revision",
      object: of(
        "apps/v1",
        "StatefulSet",
        `spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, readyReplicas: 2,
         updatedReplicas: 2, currentRevision: b, updateRevision: b}`,
      ),
      expected: "ready",
    },
    {
      name: "waits in the middle of a rollout, although all replicas are ready",
      object: of(
        "apps/v1",
        "StatefulSet",
        `spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, readyReplicas: 2,
         updatedReplicas: 1, currentRevision: a, updateRevision: b}`,
      ),
      expected: "waiting: new 1/2, old 1, 2 of 2 Pods ready",
    },
    {
      name: "with a partition is ready when the ordinals above it are updated",
      object: of(
        "apps/v1",
        "StatefulSet",
        `spec: {replicas: 3, updateStrategy: {rollingUpdate: {partition: 2}}},
         status: {observedGeneration: 2, replicas: 3, readyReplicas: 3, updatedReplicas: 1,
         currentRevision: a, updateRevision: b}`,
      ),
      expected: "ready",
    },
    {
      name: "is ready with OnDelete, because users delete its Pods",
      object: of(
        "apps/v1",
        "StatefulSet",
        `spec: {replicas: 2, updateStrategy: {type: OnDelete}}, status: {observedGeneration: 2,
         replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1}`,
      ),
      expected: "ready (1 of 2 Pods stay old until a user deletes them)",
    },
    {
      name: "waits with OnDelete for the Pods that its controller creates",
      object: of(
        "apps/v1",
        "StatefulSet",
        `spec: {replicas: 2, updateStrategy: {type: OnDelete}}, status: {observedGeneration: 2,
         replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1}`,
      ),
      expected: "waiting: new 1/2, 1 ready",
    },
    {
      name: "waits for the deletion of an additional replica",
      object: of(
        "apps/v1",
        "StatefulSet",
        `spec: {replicas: 1}, status: {observedGeneration: 2, replicas: 2, readyReplicas: 2,
         updatedReplicas: 2, currentRevision: b, updateRevision: b}`,
      ),
      expected: "waiting: new 2/1, 2 ready",
    },
  ],
  DaemonSet: [
    {
      name: "is ready when every node has the update available",
      object: of(
        "apps/v1",
        "DaemonSet",
        `status: {observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 2,
         numberAvailable: 2}`,
      ),
      expected: "ready",
    },
    {
      name: "waits for nodes that still run the previous version",
      object: of(
        "apps/v1",
        "DaemonSet",
        `status: {observedGeneration: 2, desiredNumberScheduled: 2, updatedNumberScheduled: 1,
         numberAvailable: 2}`,
      ),
      expected: "waiting: 2/2 nodes available, 1 updated",
    },
  ],
  ReplicaSet: [
    {
      name: "is ready when all counts match",
      object: of(
        "apps/v1",
        "ReplicaSet",
        `spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, fullyLabeledReplicas: 2,
         readyReplicas: 2, availableReplicas: 2}`,
      ),
      expected: "ready",
    },
    {
      name: "fails when its Pods are rejected",
      object: of(
        "apps/v1",
        "ReplicaSet",
        `status: {observedGeneration: 2, conditions:
         [{type: ReplicaFailure, status: "True", reason: FailedCreate, message: no quota}]}`,
      ),
      expected: "failed: FailedCreate: no quota",
    },
  ],
  ReplicationController: [
    {
      name: "is ready when all counts match",
      object: of(
        "v1",
        "ReplicationController",
        `spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, fullyLabeledReplicas: 2,
         readyReplicas: 2, availableReplicas: 2}`,
      ),
      expected: "ready",
    },
    {
      name: "waits for Pods that fit on no node",
      object: of(
        "v1",
        "ReplicationController",
        "spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, fullyLabeledReplicas: 2}",
      ),
      expected: "waiting: 0/2 ready",
    },
  ],
  Job: [
    {
      name: "is ready when it is complete",
      object: of("batch/v1", "Job", `status: {conditions: [{type: Complete, status: "True"}]}`),
      expected: "ready",
    },
    {
      name: "waits while it runs",
      object: of("batch/v1", "Job", "spec: {completions: 3}, status: {succeeded: 1, active: 2}"),
      expected: "waiting: 1/3 completed, 2 active",
    },
    {
      name: "fails with its reason",
      object: of(
        "batch/v1",
        "Job",
        `status: {conditions: [{type: Failed, status: "True", reason: BackoffLimitExceeded,
         message: too often}]}`,
      ),
      expected: "failed: BackoffLimitExceeded: too often",
    },
    {
      name: "is complete even if it might already be deleted (ttlSecondsAfterFinished: 0)",
      object: of(
        "batch/v1",
        "Job",
        `status: {conditions: [{type: Complete, status: "True"}]}`,
        `deletionTimestamp: "2026-01-01T00:00:00Z"`,
      ),
      expected: "ready",
    },
    {
      name: "counts as ready while intentionally suspended",
      object: of("batch/v1", "Job", "spec: {suspend: true}"),
      expected: "ready (suspended by spec.suspend)",
    },
    {
      name: "counts as ready if it intentionally starts nothing",
      object: of("batch/v1", "Job", "spec: {parallelism: 0}"),
      expected: "ready (paused by spec.parallelism: 0)",
    },
  ],
  Pod: [
    {
      name: "is ready when its condition is true",
      object: of(
        "v1",
        "Pod",
        `status: {phase: Running, conditions: [{type: Ready, status: "True"}]}`,
      ),
      expected: "ready",
    },
    {
      name: "is ready after success",
      object: of("v1", "Pod", "status: {phase: Succeeded}"),
      expected: "ready",
    },
    {
      name: "reports after a failure how its container ended",
      object: of(
        "v1",
        "Pod",
        `status: {phase: Failed, containerStatuses: [{name: c, state: {terminated: {exitCode: 137,
         reason: OOMKilled}}}]}`,
      ),
      expected: "failed: container c: exit code 137 (OOMKilled)",
    },
    {
      name: "has failed in a crash loop",
      object: of(
        "v1",
        "Pod",
        `status: {phase: Running, containerStatuses: [{name: c, restartCount: 4, state: {waiting:
         {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, reason: Error}}}]}`,
      ),
      expected: "failed: container c: CrashLoopBackOff, exit code 1 (Error), 4 restarts",
    },
    {
      name: "has failed if its init container's image can't be pulled",
      object: of(
        "v1",
        "Pod",
        `status: {phase: Pending, initContainerStatuses: [{name: i, state: {waiting:
         {reason: ImagePullBackOff, message: no such tag}}}]}`,
      ),
      expected: "failed: container i: ImagePullBackOff: no such tag",
    },
    {
      name: "waits after a recent rejection by the scheduler",
      object: of(
        "v1",
        "Pod",
        `status: {phase: Pending, conditions: [{type: PodScheduled, status: "False",
         reason: Unschedulable, message: 0/3 nodes}]}`,
        `creationTimestamp: "2026-01-01T11:59:50Z"`,
      ),
      expected: "waiting: Unschedulable: 0/3 nodes",
    },
    {
      name: "has failed if no node has accepted it for more than 15 s",
      object: of(
        "v1",
        "Pod",
        `status: {phase: Pending, conditions: [{type: PodScheduled, status: "False",
         reason: Unschedulable, message: 0/3 nodes}]}`,
        `creationTimestamp: "2026-01-01T11:59:44Z"`,
      ),
      expected: "failed: Unschedulable: 0/3 nodes",
    },
  ],
  Service: [
    {
      name: "of type LoadBalancer needs a cluster IP but no external address",
      object: of("v1", "Service", "spec: {type: LoadBalancer, clusterIP: 10.0.0.7}, status: {}"),
      expected: "ready",
    },
    {
      name: "of type LoadBalancer waits for its cluster IP",
      object: of("v1", "Service", "spec: {type: LoadBalancer}"),
      expected: "waiting: no cluster IP yet",
    },
    {
      name: "is ready if it only names another host",
      object: of("v1", "Service", "spec: {type: ExternalName}"),
      expected: "ready",
    },
  ],
  CustomResourceDefinition: [
    {
      name: "is ready when it is established",
      object: of(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        `status: {conditions: [{type: NamesAccepted, status: "True"}, {type: Established, status: "True"}]}`,
      ),
      expected: "ready",
    },
    {
      name: "waits while it is installed",
      object: of(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        `status: {conditions: [{type: NamesAccepted, status: "True"}, {type: Established, status: "False", reason: Installing, message: the initial names have been accepted}]}`,
      ),
      expected: "waiting: not established yet",
    },
    {
      name: "reports why it isn't established",
      object: of(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        `status: {conditions: [{type: Established, status: "False", reason: InvalidCABundle, message: The conversion webhook CABundle is invalid}]}`,
      ),
      expected: "failed: InvalidCABundle: The conversion webhook CABundle is invalid",
    },
    {
      name: "waits for the certificate authority that a controller injects",
      object: of(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        `status: {conditions: [{type: Established, status: "False", reason: InvalidCABundle, message: The conversion webhook CABundle is invalid}]}`,
      ).replace("{name: x", "{annotations: {cert-manager.io/inject-ca-from: a/b}, name: x"),
      expected:
        "waiting: not established yet: InvalidCABundle: The conversion webhook CABundle is invalid",
    },
    {
      name: "has failed if its names are used",
      object: of(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        `status: {conditions: [{type: NamesAccepted, status: "False", reason: PluralConflict, message: taken}]}`,
      ),
      expected: "failed: PluralConflict: taken",
    },
  ],
  Namespace: [
    {
      name: "is ready when it is active",
      object: of("v1", "Namespace", "status: {phase: Active}"),
      expected: "ready",
    },
    {
      name: "has failed if it is being deleted",
      object: of(
        "v1",
        "Namespace",
        "status: {phase: Terminating}",
        `deletionTimestamp: "2026-01-01T00:00:00Z"`,
      ),
      expected: "failed: it is being deleted",
    },
  ],
  Rollout: [
    {
      name: "is ready when healthy, with an observedGeneration that is a string",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `status: {observedGeneration: "2", phase: Healthy}`,
      ),
      expected: "ready",
    },
    {
      name: "isn't ready with the health of the previous spec",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `status: {observedGeneration: "1", phase: Healthy}`,
      ),
      expected: "waiting: its controller hasn't observed the change yet",
    },
    {
      name: "isn't ready with the health of the previous template, which another object contains",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `spec: {workloadRef: {kind: Deployment, name: base}},
         status: {observedGeneration: "2", workloadObservedGeneration: "3", phase: Healthy}`,
        `generation: 2, annotations: {rollout.argoproj.io/workload-generation: "4"}`,
      ),
      expected: "waiting: its controller hasn't observed its template yet",
    },
    {
      name: "is ready when healthy with the template of another object",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `spec: {workloadRef: {kind: Deployment, name: base}},
         status: {observedGeneration: "2", workloadObservedGeneration: "4", phase: Healthy}`,
        `generation: 2, annotations: {rollout.argoproj.io/workload-generation: "4"}`,
      ),
      expected: "ready",
    },
    {
      name: "at a blue/green pause is suspended",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `status: {observedGeneration: "2", phase: Paused, message: BlueGreenPause,
         pauseConditions: [{reason: BlueGreenPause}]}`,
      ),
      expected: "suspended: paused as planned (BlueGreenPause): promote it to continue",
    },
    {
      name: "waits during a pause without a reason",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `status: {observedGeneration: "2", phase: Paused}`,
      ),
      expected: "waiting: paused: paused",
    },
    {
      name: "waits during a pause by an unplanned analysis",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `status: {observedGeneration: "2", phase: Paused,
         pauseConditions: [{reason: InconclusiveAnalysisRun}]}`,
      ),
      expected: "waiting: paused: InconclusiveAnalysisRun",
    },
    {
      name: "waits for a Service that its controller hasn't observed yet",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `status: {observedGeneration: "2", phase: Degraded, conditions: [{type: InvalidSpec, status: "True",
         reason: InvalidSpec, message: 'Invalid value: "active": service "active" not found'}]}`,
      ),
      expected: 'waiting: InvalidSpec: Invalid value: "active": service "active" not found',
    },
    {
      name: "has failed if it is invalid",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `status: {observedGeneration: "2", phase: Degraded, conditions: [{type: InvalidSpec, status: "True",
         reason: InvalidSpec, message: 'spec.strategy: Required value'}]}`,
      ),
      expected: "failed: InvalidSpec: spec.strategy: Required value",
    },
    {
      name: "has failed if it is degraded",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `status: {observedGeneration: "2", phase: Degraded, message: "aborted"}`,
      ),
      expected: "failed: Degraded: aborted",
    },
    {
      name: "counts its replicas while in progress",
      object: of(
        "argoproj.io/v1alpha1",
        "Rollout",
        `spec: {replicas: 3}, status: {observedGeneration: "2", phase: Progressing, replicas: 4,
         updatedReplicas: 1, readyReplicas: 3, availableReplicas: 3, message: more replicas}`,
      ),
      expected: "waiting: new 1/3, old 3, 3 of 4 Pods ready; more replicas",
    },
  ],
  "a kind whose controller always sets Ready": [
    {
      name: "is not ready while it has no condition",
      object: of("cert-manager.io/v1", "Certificate", "spec: {}"),
      expected: "waiting: its controller hasn't reported a status yet",
    },
    {
      name: "an APIService isn't ready before the aggregator has called its server",
      object: of("apiregistration.k8s.io/v1", "APIService", "spec: {}"),
      expected: "waiting: its controller hasn't reported a status yet",
    },
    {
      name: "an APIService without a server behind it waits",
      object: of(
        "apiregistration.k8s.io/v1",
        "APIService",
        `status: {conditions: [{type: Available, status: "False", reason: MissingEndpoints, message: no endpoints}]}`,
      ),
      expected: "waiting: MissingEndpoints: no endpoints",
    },
    {
      name: "isn't ready with a condition of the previous generation",
      object: of(
        "cert-manager.io/v1",
        "Certificate",
        `status: {conditions: [{type: Ready, status: "True", observedGeneration: 1}]}`,
      ),
      expected: "waiting: its Ready condition is about an older generation",
    },
    {
      name: "has failed with the reported reason",
      object: of(
        "external-secrets.io/v1",
        "ExternalSecret",
        `status: {conditions: [{type: Ready, status: "False", reason: SecretSyncedError, message: no such key}]}`,
      ),
      expected: "failed: SecretSyncedError: no such key",
    },
    {
      name: "an ExternalSecret that was last synchronized for an older generation waits",
      object: of(
        "external-secrets.io/v1",
        "ExternalSecret",
        `status: {syncedResourceVersion: 1-abc, conditions: [{type: Ready, status: "True"}]}`,
      ),
      expected: "waiting: its Ready condition is about an older generation",
    },
    {
      name: "is ready when the condition is true",
      object: of(
        "external-secrets.io/v1",
        "ExternalSecret",
        `status: {syncedResourceVersion: 2-abc, conditions: [{type: Ready, status: "True"}]}`,
      ),
      expected: "ready",
    },
  ],
  "any other custom resource": [
    {
      name: "without conditions only needs to exist",
      object: of("acme.example/v1", "Widget", "spec: {}"),
      expected: "ready",
    },
    {
      name: "is judged by a Ready condition",
      object: of(
        "acme.example/v1",
        "Widget",
        `status: {conditions: [{type: Ready, status: "Unknown", reason: Working}]}`,
      ),
      expected: "waiting: Working",
    },
    {
      name: "is judged by an Available condition",
      object: of(
        "acme.example/v1",
        "Widget",
        `status: {conditions: [{type: Available, status: "False", reason: NoBackend}]}`,
      ),
      expected: "waiting: NoBackend",
    },
    {
      name: "waits during reconciliation, even if it was ready before",
      object: of(
        "acme.example/v1",
        "Widget",
        `status: {conditions: [{type: Ready, status: "True"}, {type: Reconciling, status: "True", reason: NewRevision}]}`,
      ),
      expected: "waiting: NewRevision",
    },
    {
      name: "is judged by its other conditions after reconciliation",
      object: of(
        "acme.example/v1",
        "Widget",
        `status: {conditions: [{type: Ready, status: "True"}, {type: Reconciling, status: "False"}]}`,
      ),
      expected: "ready",
    },
    {
      name: "has failed if it is stalled",
      object: of(
        "acme.example/v1",
        "Widget",
        `status: {conditions: [{type: Stalled, status: "True", reason: Broken, message: for good}]}`,
      ),
      expected: "failed: Broken: for good",
    },
    {
      name: "waits if it was stalled before its newest spec",
      object: of(
        "acme.example/v1",
        "Widget",
        `status: {conditions: [{type: Stalled, status: "True", reason: Broken, observedGeneration: 1}]}`,
      ),
      expected: "waiting: its Stalled condition is about an older generation",
    },
  ],
  "what has no controller": [
    { name: "a ConfigMap is ready", object: of("v1", "ConfigMap", "data: {}"), expected: "ready" },
    {
      name: "a PodDisruptionBudget that never got an observedGeneration is ready",
      object: of("policy/v1", "PodDisruptionBudget", "status: {observedGeneration: 1}"),
      expected: "ready",
    },
  ],
};

describe.each(Object.entries(cases))("%s", (_kind, list) => {
  it.each(list)("$name", ({ object, expected }) => {
    expect(check(object)).toBe(expected);
  });
});

describe("PersistentVolumeClaim", () => {
  const claim = (phase: string) => of("v1", "PersistentVolumeClaim", `status: {phase: ${phase}}`);

  it("is ready when bound", () => {
    expect(check(claim("Bound"))).toBe("ready");
  });

  it("waits while it is pending", () => {
    expect(check(claim("Pending"))).toBe("waiting: phase Pending, not bound to a volume yet");
  });

  it("is ready while pending if it binds on first use", () => {
    expect(check(claim("Pending"), { binding: "on first use" })).toBe(
      "ready (binds when the first Pod uses it)",
    );
  });

  it("isn't awaited if its binding mode is unknown", () => {
    expect(check(claim("Pending"), { binding: "unknown" })).toBe(
      "ready (not awaited, because qvs can't read its StorageClass)",
    );
  });

  it("has failed if it has lost its volume", () => {
    expect(check(claim("Lost"), { binding: "on first use" })).toBe(
      "failed: Lost: the volume that it was bound to no longer exists",
    );
  });
});

describe("a Pod that this run has created", () => {
  const refused = (created: string) =>
    of(
      "v1",
      "Pod",
      `status: {phase: Pending, conditions: [{type: PodScheduled, status: "False",
       reason: Unschedulable, message: 0/3 nodes}]}`,
      `creationTimestamp: "${created}"`,
    );
  const before = (at: string) => ({ object: objectIn(refused(at)), at: new Date(at) });

  it.each([
    {
      clock: "behind qvs's clock",
      created: "2026-01-01T11:00:00Z",
      at: "2026-01-01T11:59:50Z",
      state: "waiting",
    },
    {
      clock: "ahead of qvs's clock",
      created: "2026-01-01T13:00:00Z",
      at: "2026-01-01T11:59:44Z",
      state: "failed",
    },
  ])(
    "has 15 s to find a node by qvs's clock if the cluster's clock is $clock",
    ({ created, at, state }) => {
      expect(check(refused(created), { baseline: before(at) })).toBe(
        `${state}: Unschedulable: 0/3 nodes`,
      );
    },
  );
});

describe("the status before the change", () => {
  const exceeded = (since: string) =>
    `conditions: [{type: Progressing, status: "False", reason: ProgressDeadlineExceeded,
     message: too slow, lastUpdateTime: "${since}"}]`;
  const stuck = (since: string, generation: number) =>
    deployment(`spec: {replicas: 1, progressDeadlineSeconds: 60}, status: {observedGeneration: ${generation},
      replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, ${exceeded(since)}}`);
  const degraded = (since: string, generation: number) =>
    of(
      "argoproj.io/v1alpha1",
      "Rollout",
      `spec: {replicas: 1}, status: {phase: Degraded, message: too slow, replicas: 2, updatedReplicas: 1,
       readyReplicas: 1, availableReplicas: 1, observedGeneration: "${generation}", ${exceeded(since)}}`,
    );
  const pausedAt = (hash: string, image: string, generation: number) =>
    of(
      "argoproj.io/v1alpha1",
      "Rollout",
      `spec: {template: {spec: {containers: [{image: "${image}"}]}}}, status: {observedGeneration: "${generation}",
       currentPodHash: ${hash}, phase: Paused, pauseConditions: [{reason: BlueGreenPause}]}`,
    );
  const invalid = (since: string) =>
    of(
      "argoproj.io/v1alpha1",
      "Rollout",
      `status: {observedGeneration: "2", phase: Degraded, conditions: [{type: InvalidSpec, status: "True",
       reason: InvalidSpec, message: 'Service "web" has unmatch label', lastUpdateTime: "${since}"}]}`,
    );
  const changed = (seconds: number): Partial<StatusFacts> => ({
    baseline: {
      object: objectIn(pausedAt("old", "web:2", 1)),
      at: new Date(now.getTime() - seconds * 1000),
      objectBeforeRun: objectIn(pausedAt("old", "web:1", 1)),
    },
  });
  const secondsAgo = (object: string, seconds: number): Partial<StatusFacts> => ({
    baseline: { object: objectIn(object), at: new Date(now.getTime() - seconds * 1000) },
  });

  it.each([
    {
      name: "the exceeded deadline of the previous spec doesn't count after a Deployment's change",
      object: stuck("11:50", 2),
      facts: secondsAgo(stuck("11:50", 1), 59),
      expected: "waiting: new 1/1, old 1, 1 of 2 Pods ready",
    },
    {
      name: "a deadline that is exceeded again counts",
      object: stuck("11:59", 2),
      facts: secondsAgo(stuck("11:50", 1), 59),
      expected: "failed: ProgressDeadlineExceeded: too slow (new 1/1, old 1, 1 of 2 Pods ready)",
    },
    {
      name: "an earlier failure counts if a whole deadline has passed without news",
      object: stuck("11:50", 2),
      facts: secondsAgo(stuck("11:50", 1), 60),
      expected: "failed: ProgressDeadlineExceeded: too slow (new 1/1, old 1, 1 of 2 Pods ready)",
    },
    {
      name: "the status of an unchanged Deployment counts",
      object: stuck("11:50", 2),
      facts: {},
      expected: "failed: ProgressDeadlineExceeded: too slow (new 1/1, old 1, 1 of 2 Pods ready)",
    },
    {
      name: "a Rollout that was degraded before waits",
      object: degraded("11:50", 2),
      facts: secondsAgo(degraded("11:50", 1), 599),
      expected: "waiting: new 1/1, old 1, 1 of 2 Pods ready",
    },
    {
      name: "a Rollout that is degraded again has failed",
      object: degraded("11:59", 2),
      facts: secondsAgo(degraded("11:50", 1), 599),
      expected: "failed: Degraded: too slow",
    },
    {
      name: "a Rollout that was invalid before waits, because its references have changed",
      object: invalid("11:50"),
      facts: secondsAgo(invalid("11:50"), 59),
      expected: 'waiting: InvalidSpec: Service "web" has unmatch label',
    },
    {
      name: "a Rollout that is found invalid again has failed",
      object: invalid("11:59"),
      facts: secondsAgo(invalid("11:50"), 1),
      expected: 'failed: InvalidSpec: Service "web" has unmatch label',
    },
    {
      name: "a Rollout that is still invalid after a minute has failed",
      object: invalid("11:50"),
      facts: secondsAgo(invalid("11:50"), 60),
      expected: 'failed: InvalidSpec: Service "web" has unmatch label',
    },
    {
      name: "a pause of the previous template isn't a pause of the next one",
      object: pausedAt("old", "web:2", 2),
      facts: changed(59),
      expected: "waiting: its controller hasn't observed its template yet",
    },
    {
      name: "a pause of the next template counts",
      object: pausedAt("new", "web:2", 2),
      facts: changed(1),
      expected: "suspended: paused as planned (BlueGreenPause): promote it to continue",
    },
    {
      name: "a pause of the previous template counts if the new template is equivalent",
      object: pausedAt("old", "web:2", 2),
      facts: changed(60),
      expected: "suspended: paused as planned (BlueGreenPause): promote it to continue",
    },
    {
      name: "a pause continues if another field changes",
      object: pausedAt("old", "web:1", 2),
      facts: changed(1),
      expected: "suspended: paused as planned (BlueGreenPause): promote it to continue",
    },
  ])("$name", ({ object, facts, expected }) => {
    expect(check(object, facts)).toBe(expected);
  });
});

describe("a SpinApp, whose operator copies the conditions of its Deployment", () => {
  const app = (replicaSet: string, { reason = "NewReplicaSetAvailable", readyReplicas = 2 } = {}) =>
    objectIn(`
      apiVersion: core.spinkube.dev/v1alpha1
      kind: SpinApp
      metadata: {name: web, generation: 2}
      spec: {replicas: 2}
      status:
        readyReplicas: ${readyReplicas}
        conditions:
          - {type: Available, status: "True", reason: MinimumReplicasAvailable}
          - {type: Progressing, status: "True", reason: ${reason}, message: ${replicaSet} has progressed}`);
  const status = (object: KubeObject, before?: KubeObject, secondsAgo = 1) => {
    const at = new Date(now.getTime() - secondsAgo * 1000);
    const baseline = before && { object: before, at };
    return check(stringify(object), { baseline });
  };

  it("is ready when its Deployment is complete", () => {
    expect(status(app("web-b"))).toBe("ready");
    expect(status(app("web-b"), app("web-a"))).toBe("ready");
  });

  it("isn't ready by the conditions of the former version", () => {
    expect(status(app("web-a"), app("web-a"))).toBe(
      "waiting: its conditions can still be about the former version",
    );
    expect(status(app("web-a"), app("web-a"), 60)).toBe("ready");
  });

  it.each([{ reason: "ReplicaSetUpdated" }, { readyReplicas: 1 }])(
    "isn't ready with %o",
    (different) => {
      expect(status(app("web-b", different), app("web-a"))).toContain("waiting: ");
    },
  );
});
