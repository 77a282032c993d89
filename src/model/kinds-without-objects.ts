import { groupOf } from "./object.ts";

/**
 * Reports whether the API server only answers requests of a built-in kind and stores no object of
 * it: a subresource, a review, or the options of a request. Apply works only for stored objects.
 * https://kubernetes.io/docs/reference/kubernetes-api/
 */
export function isWithoutObjects(apiVersion: string, kind: string): boolean {
  return kindsWithoutObjects.get(groupOf(apiVersion))?.has(kind) === true;
}

const scales: ReadonlySet<string> = new Set(["Scale"]);

const kindsWithoutObjects: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    "",
    new Set([
      ...["Binding", "ComponentStatus", "DeleteOptions", "PodStatusResult", "RangeAllocation"],
      ...["PodAttachOptions", "PodExecOptions", "PodPortForwardOptions", "PodProxyOptions"],
      ...["NodeProxyOptions", "ServiceProxyOptions", "SerializedReference", "Status"],
    ]),
  ],
  ["admission.k8s.io", new Set(["AdmissionReview"])],
  ["apiextensions.k8s.io", new Set(["ConversionReview"])],
  ["apps", scales],
  ["authentication.k8s.io", new Set(["SelfSubjectReview", "TokenRequest", "TokenReview"])],
  [
    "authorization.k8s.io",
    new Set([
      ...["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview"],
      "SubjectAccessReview",
    ]),
  ],
  ["autoscaling", scales],
  ["extensions", scales],
  ["imagepolicy.k8s.io", new Set(["ImageReview"])],
  ["metrics.k8s.io", new Set(["NodeMetrics", "PodMetrics"])],
  ["policy", new Set(["Eviction"])],
]);
