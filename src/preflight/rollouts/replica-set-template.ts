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
const hashLabels = ["pod-template-hash", "rollouts-pod-template-hash"];

/**
 * Reports whether a ReplicaSet creates Pods of this template.
 * The template must contain the API server's defaults.
 */
export function hasTemplate(replicaSet: KubeObject, template: Json | undefined): boolean {
  return sameJson(withoutHash(at(replicaSet, "spec", "template")), withoutHash(template));
}

/**
 * Reports whether a ReplicaSet creates Pods of a template without defaults, as in a custom
 * resource.
 * The ReplicaSet's template has the API server's defaults in addition.
 */
export function hasDefaultedTemplate(replicaSet: KubeObject, template: Json | undefined): boolean {
  return equalsExceptDefaults(
    withoutHash(template),
    withoutHash(at(replicaSet, "spec", "template")),
  );
}

function withoutHash(template: Json | undefined): JsonObject {
  const given = isObject(template) ? template : {};
  const metadata = (at(given, "metadata") ?? {}) as JsonObject;
  const { creationTimestamp: _, labels = {}, ...rest } = metadata;
  const own = Object.entries(labels ?? {}).filter(([name]) => !hashLabels.includes(name));
  return { ...given, metadata: { ...rest, labels: Object.fromEntries(own) } };
}

function equalsExceptDefaults(declared: Json, stored: Json): boolean {
  if (isObject(declared) && isObject(stored)) {
    return (
      Object.entries(declared).every(([name, value]) =>
        equalsExceptDefaults(value, fieldOf(stored, name) ?? null),
      ) &&
      Object.entries(stored).every(
        ([name, value]) => Object.hasOwn(declared, name) || isDefault(name, value, stored),
      )
    );
  }
  if (!isList(declared) || !isList(stored)) return sameJson(declared, stored);
  return (
    declared.length === stored.length &&
    declared.every((item, index) => equalsExceptDefaults(item, stored[index] ?? null))
  );
}

/**
 * Defaults that the API server writes into a template
 * (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go).
 */
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
  // These fields get the value of another field.
  if (name === "serviceAccount") return value === stored.serviceAccountName;
  if (name === "hostPort") return value === stored.containerPort;
  return (fieldOf(defaults, name) ?? []).some((each) => sameJson(each, value));
}
