import { isBuiltInGroup } from "../../model/cluster/built-in-groups.ts";
import { definesKind } from "../../model/cluster/namespaces-and-crds.ts";
import type { ApiLifecycles } from "../../model/fields/api-lifecycle.ts";
import { groupOf, idOf, type KubeObject } from "../../model/object.ts";
import type { UpgradeContext } from "./upgrade.ts";

/**
 * The kinds whose Go types k8s.io/api no longer contains, with the versions that removed them, from
 * the guide to deprecated APIs and the changelogs of Kubernetes.
 */
export const formerKinds: ApiLifecycles = {
  "auditregistration.k8s.io/v1alpha1/AuditSink": { removed: 19 },
  "batch/v2alpha1/CronJob": { removed: 21 },
  "extensions/v1beta1/PodSecurityPolicy": { removed: 16 },
  "networking.k8s.io/v1alpha1/ClusterCIDR": { removed: 29 },
  "policy/v1beta1/PodSecurityPolicy": { removed: 25 },
  "settings.k8s.io/v1alpha1/PodPreset": { removed: 20 },
};

/**
 * Reports whether only Kubernetes itself can serve an object: its group is built in, and no
 * CustomResourceDefinition of the deployment defines it.
 */
export function isBuiltInObject(object: KubeObject, { definitions }: UpgradeContext): boolean {
  return (
    isBuiltInGroup(groupOf(object.apiVersion)) &&
    !definitions.some((each) => definesKind(each, idOf(object)))
  );
}
