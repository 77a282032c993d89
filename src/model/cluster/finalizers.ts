import { listAt } from "../json.ts";
import type { KubeObject } from "../object.ts";

/**
 * Lists the finalizers that no controller of Kubernetes itself removes, such as those of operators.
 */
export function customFinalizers(live: KubeObject): readonly string[] {
  return listAt(live, "metadata", "finalizers").filter(
    (finalizer) => typeof finalizer === "string" && !isBuiltInFinalizer(finalizer),
  ) as readonly string[];
}

/**
 * Reports whether a finalizer belongs to Kubernetes itself: `foregroundDeletion`,
 * `kubernetes.io/pvc-protection`, `customresourcecleanup.apiextensions.k8s.io`.
 */
function isBuiltInFinalizer(finalizer: string): boolean {
  const [domain = "", name] = finalizer.split("/");
  if (name === undefined && !domain.includes(".")) return true;
  return /(^|\.)(kubernetes|k8s)\.io$/.test(domain);
}
