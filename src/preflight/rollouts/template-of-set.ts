import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
} from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";

/** Labels that controllers write into the templates of their ReplicaSets. */
const hashes = ["pod-template-hash", "rollouts-pod-template-hash"];

/** Whether a ReplicaSet makes Pods of this template, which the server has completed as well. */
export function isMadeFrom(replicaSet: KubeObject, template: Json | undefined): boolean {
  return sameJson(withoutHash(at(replicaSet, "spec", "template")), withoutHash(template));
}

/** The same of a template that nobody has completed, as in a custom resource: in the ReplicaSet there are defaults besides. */
export function isCompletedFrom(replicaSet: KubeObject, template: Json | undefined): boolean {
  return isCompleted(withoutHash(template), withoutHash(at(replicaSet, "spec", "template")));
}

function withoutHash(template: Json | undefined): JsonObject {
  const given = isObject(template) ? template : {};
  const metadata = (at(given, "metadata") ?? {}) as JsonObject;
  const { creationTimestamp: _, labels = {}, ...rest } = metadata;
  const own = Object.entries(labels ?? {}).filter(([name]) => !hashes.includes(name));
  return { ...given, metadata: { ...rest, labels: Object.fromEntries(own) } };
}

function isCompleted(declared: Json, stored: Json): boolean {
  if (isObject(declared) && isObject(stored)) {
    return (
      Object.entries(declared).every(([name, value]) =>
        isCompleted(value, fieldOf(stored, name) ?? null),
      ) &&
      Object.entries(stored).every(
        ([name, value]) => Object.hasOwn(declared, name) || isDefault(name, value, stored),
      )
    );
  }
  if (!isList(declared) || !isList(stored)) return sameJson(declared, stored);
  return (
    declared.length === stored.length &&
    declared.every((item, index) => isCompleted(item, stored[index] ?? null))
  );
}

/** What the server writes into a template where nothing is said (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go). */
const defaults: Readonly<Record<string, readonly Json[]>> = {
  restartPolicy: ["Always"],
  dnsPolicy: ["ClusterFirst"],
  schedulerName: ["default-scheduler"],
  securityContext: [{}],
  terminationGracePeriodSeconds: [30],
  terminationMessagePath: ["/dev/termination-log"],
  terminationMessagePolicy: ["File"],
  imagePullPolicy: ["Always", "IfNotPresent"],
  resources: [{}],
  protocol: ["TCP"],
  timeoutSeconds: [1],
  periodSeconds: [10],
  successThreshold: [1],
  failureThreshold: [3],
  scheme: ["HTTP"],
  path: ["/"],
  apiVersion: ["v1"],
  defaultMode: [420],
  expirationSeconds: [3600],
  emptyDir: [{}],
  type: [""],
};

function isDefault(name: string, value: Json, stored: JsonObject): boolean {
  // Old names of the same thing.
  if (name === "serviceAccount") return value === stored.serviceAccountName;
  if (name === "hostPort") return value === stored.containerPort;
  return (fieldOf(defaults, name) ?? []).some((each) => sameJson(each, value));
}
