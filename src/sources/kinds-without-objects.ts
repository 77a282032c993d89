import { type Compilation, resourceKey } from "../model/compilation.ts";
import { textAt } from "../model/json.ts";
import { groupOf } from "../model/object.ts";
import { declarationPlaces, type Problem } from "../model/problems/problem.ts";

/** Reports the manifests of kinds that the API server doesn't store. */
export function kindsWithoutObjectsProblems({ resources }: Compilation): readonly Problem[] {
  return resources.flatMap((resource): readonly Problem[] => {
    if (resource.type !== "manifest") return [];
    const [apiVersion = "", kind = ""] = ["apiVersion", "kind"].map((name) =>
      textAt(resource.object, name),
    );
    if (!isWithoutObjects(apiVersion, kind)) return [];
    return [
      {
        code: "kind-without-objects",
        where: declarationPlaces(resource),
        what: `Resource ${resourceKey(resource)} is a ${kind}, which can't be deployed`,
        facts: [{ label: "kind", value: `${apiVersion}/${kind}` }],
        why: "The API server answers requests of this kind, and stores no object",
        fix: fixes.get(kind) ?? "Remove the manifest",
      },
    ];
  });
}

const fixes: ReadonlyMap<string, string> = new Map([
  ["Scale", "Remove the manifest, and set spec.replicas of the workload"],
  ["Binding", "Remove the manifest, and set spec.nodeName of the Pod or a node selector"],
]);

/**
 * Reports whether the API server only answers requests of a built-in kind and stores no object of
 * it: a subresource, a review, or the options of a request. Apply works only for stored objects.
 * https://kubernetes.io/docs/reference/kubernetes-api/
 */
function isWithoutObjects(apiVersion: string, kind: string): boolean {
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
