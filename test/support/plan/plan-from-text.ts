import { parse } from "yaml";
import { deploymentLabel } from "../../../src/model/annotations.ts";
import { type Json, type JsonObject, listAt, numberAt, textAt } from "../../../src/model/json.ts";
import {
  idOf,
  isKubeObject,
  type KubeObject,
  keyOf,
  type ObjectId,
} from "../../../src/model/object.ts";
import type { Deletion } from "../../../src/model/plan/deletion.ts";
import {
  type Change,
  type ChangeAction,
  type Edge,
  fieldManager,
  type Plan,
} from "../../../src/model/plan/plan.ts";
import { type Stage, stages } from "../../../src/model/sources/compilation.ts";
import type { FakeCluster } from "../fake-cluster.ts";
import { stepsOf } from "./steps.ts";

/** Kinds by their short names, with the fields of a minimal object. */
const kinds: Readonly<Record<string, { apiVersion: string; spec?: Json; namespaced?: false }>> = {
  ConfigMap: { apiVersion: "v1" },
  Secret: { apiVersion: "v1" },
  ServiceAccount: { apiVersion: "v1", spec: {} },
  Service: { apiVersion: "v1" },
  Namespace: { apiVersion: "v1", namespaced: false },
  LimitRange: { apiVersion: "v1" },
  ResourceQuota: { apiVersion: "v1" },
  PriorityClass: { apiVersion: "scheduling.k8s.io/v1", namespaced: false },
  StorageClass: { apiVersion: "storage.k8s.io/v1", namespaced: false },
  ValidatingAdmissionPolicy: {
    apiVersion: "admissionregistration.k8s.io/v1",
    namespaced: false,
  },
  ValidatingAdmissionPolicyBinding: {
    apiVersion: "admissionregistration.k8s.io/v1",
    namespaced: false,
  },
  CustomResourceDefinition: {
    apiVersion: "apiextensions.k8s.io/v1",
    spec: { group: "example.com", names: { kind: "Widget" } },
    namespaced: false,
  },
  Widget: { apiVersion: "example.com/v1" },
  Deployment: {
    apiVersion: "apps/v1",
    spec: { replicas: 1, selector: { matchLabels: { app: "web" } } },
  },
  StatefulSet: { apiVersion: "apps/v1", spec: {} },
  Job: { apiVersion: "batch/v1", spec: {} },
  // Only the plan knows checks.
  Check: { apiVersion: "v1" },
};

/**
 * Returns a plan from lines such as
 *
 * app update Deployment web after ConfigMap new
 * app delete ConfigMap old
 *
 * First creates the objects in the cluster that are updated, unchanged or deleted.
 */
export function planFrom(cluster: FakeCluster, text: string): Plan {
  const steps = text.trim().split("\n").map(parseStep);
  const changes: Change[] = [];
  const deletions: Deletion[] = [];
  for (const { stage, action, object, after } of steps) {
    const id = idOf(object);
    const key = keyOf(id);
    if (action !== "create" && cluster.get(key) === undefined) {
      // The API server sets a generation only for objects with a spec.
      const generation = object.spec === undefined ? {} : { generation: 1 };
      const metadata = { ...object.metadata, ...generation, ...marksOf(stage) };
      cluster.put(settledObject({ ...object, metadata }));
    }
    const live = cluster.get(key);
    const common = { key, id, stage, after };
    if (action === "delete") {
      if (live === undefined) throw new Error(`${key} is not in the cluster`);
      const uid = textAt(live, "metadata", "uid") ?? "";
      deletions.push({ ...common, apiVersion: object.apiVersion, uid, live });
    } else {
      const resource = `${id.kind.toLowerCase()}-${id.name}`;
      const rest = { predicted: undefined, certainty: { by: "server" } as const };
      const seen = action === "create" ? undefined : live;
      changes.push({
        ...common,
        ...rest,
        resource,
        action,
        steps: stepsOf(action),
        desired: object,
        live: seen,
      });
    }
  }
  return {
    deployment: "shop",
    namespace: "shop",
    changes,
    deletions,
    kept: [],
    notices: [],
    digest: "",
  };
}

/** Returns the marks of an object that this deployment created. */
export function marksOf(stage: Stage): JsonObject {
  return {
    labels: { [deploymentLabel]: "shop" },
    managedFields: [{ manager: fieldManager("shop", stage), operation: "Apply", fieldsV1: {} }],
  };
}

interface ParsedStep {
  readonly stage: Stage;
  readonly action: ChangeAction | "delete";
  readonly object: KubeObject;
  readonly after: readonly Edge[];
}

function parseStep(line: string): ParsedStep {
  const [what = "", ...dependencies] = line.trim().split(" after ");
  const [stage, action, kind = "", name = ""] = what.split(" ");
  const after = dependencies
    .flatMap((list) => list.split(", "))
    .map((text) => {
      const [otherKind = "", otherName = ""] = text.split(" ");
      return { on: keyOf(idNamed(otherKind, otherName)), reason: "the test says so" };
    });
  return {
    stage: stages.find((s) => s === stage) ?? "app",
    action: action as ParsedStep["action"],
    object: objectNamed(kind, name),
    after,
  };
}

function idNamed(kind: string, name: string): ObjectId {
  return idOf(objectNamed(kind, name));
}

function objectNamed(kind: string, name: string): KubeObject {
  const known = kinds[kind];
  if (known === undefined) throw new Error(`Unknown kind ${kind} in a test`);
  const { apiVersion, spec, namespaced } = known;
  const metadata = namespaced === false ? { name } : { name, namespace: "shop" };
  return { apiVersion, kind, metadata, ...(spec === undefined ? {} : { spec }) };
}

/** Returns the object with the status that its controller writes after a success. */
export function settledObject(object: KubeObject): KubeObject {
  const status = settledStatus(object);
  return status === undefined ? object : { ...object, status };
}

function settledStatus(object: KubeObject): Json | undefined {
  switch (object.kind) {
    case "Deployment":
      return parse(`
        observedGeneration: ${numberAt(object, "metadata", "generation") ?? 1}
        replicas: 1
        updatedReplicas: 1
        readyReplicas: 1
        availableReplicas: 1
        conditions: [{type: Available, status: "True"}]`);
    case "Job":
      return parse(`{conditions: [{type: Complete, status: "True"}]}`);
    case "Namespace":
      return { phase: "Active" };
    case "CustomResourceDefinition":
      return parse(`{conditions: [{type: Established, status: "True"}]}`);
    default:
      return undefined;
  }
}

/** Returns a Pod of the Deployment `web` that can't pull its image. */
export function brokenPod(): KubeObject {
  const pod: Json = parse(`
    apiVersion: v1
    kind: Pod
    metadata: {name: web-1, namespace: shop, labels: {app: web}}
    status:
      phase: Pending
      containerStatuses:
        - name: web
          image: shop/web:2
          state: {waiting: {reason: ImagePullBackOff, message: not found}}`);
  if (!isKubeObject(pod) || listAt(pod, "status", "containerStatuses").length === 0)
    throw new Error();
  return pod;
}
