import { isBuiltInGroup } from "../../model/cluster/built-in-groups.ts";
import type { Manifest } from "../../model/compilation.ts";
import { textAt } from "../../model/json.ts";
import { groupOf } from "../../model/object.ts";

/** The name of a kind in a Role, and the scope of its objects. */
interface ApiResource {
  readonly plural: string;
  readonly namespaced: boolean;
  /** Set if the name is a guess: Kubernetes, the manifests and the cluster don't define it. */
  readonly guessed?: true;
}

export type FindResource = (group: string, kind: string) => ApiResource;

/** A kind that the cluster serves. */
export interface ServedKind extends ApiResource {
  readonly group: string;
  readonly kind: string;
}

/**
 * Returns a lookup of the resource of each kind.
 * It uses the kinds that the cluster serves, then the CustomResourceDefinitions among the
 * manifests, then the kinds of Kubernetes. For other kinds, it guesses the usual name.
 */
export function resourceFinder(
  manifests: readonly Manifest[],
  served: readonly ServedKind[],
): FindResource {
  const known = new Map<string, ApiResource>();
  for (const { object } of manifests) {
    if (object.kind !== "CustomResourceDefinition") continue;
    const group = textAt(object, "spec", "group") ?? "";
    const kind = textAt(object, "spec", "names", "kind") ?? "";
    const plural = textAt(object, "spec", "names", "plural") ?? guessPlural(kind);
    const namespaced = textAt(object, "spec", "scope") !== "Cluster";
    known.set(`${group}/${kind}`, { plural, namespaced });
  }
  for (const { group, kind, plural, namespaced } of served) {
    known.set(`${group}/${kind}`, { plural, namespaced });
  }
  return (group, kind) => known.get(`${group}/${kind}`) ?? defaultResource(group, kind);
}

/** Lists the kinds of these manifests whose resource only a cluster knows, sorted. */
export function unknownKinds(
  manifests: readonly Manifest[],
): readonly { readonly apiVersion: string; readonly kind: string }[] {
  const findResource = resourceFinder(manifests, []);
  const unknown = new Map<string, { readonly apiVersion: string; readonly kind: string }>();
  for (const { object } of manifests) {
    const { apiVersion, kind } = object;
    if (typeof apiVersion !== "string" || typeof kind !== "string") continue;
    if (findResource(groupOf(apiVersion), kind).guessed) {
      unknown.set(`${apiVersion} ${kind}`, { apiVersion, kind });
    }
  }
  return [...unknown.keys()].toSorted().flatMap((key) => unknown.get(key) ?? []);
}

function defaultResource(group: string, kind: string): ApiResource {
  const plural = guessPlural(kind);
  if (isBuiltInGroup(group)) return { plural, namespaced: !clusterScoped.has(`${group}/${kind}`) };
  // Operators prefix their cluster-scoped kinds with Cluster: ClusterIssuer, ClusterSecretStore.
  return { plural, namespaced: !kind.startsWith("Cluster"), guessed: true };
}

/**
 * The cluster-scoped kinds of Kubernetes.
 * test/rbac/kinds.system.test.ts compares them with the discovery of a real control plane.
 */
const clusterScoped: ReadonlySet<string> = new Set([
  "/ComponentStatus",
  "/Namespace",
  "/Node",
  "/PersistentVolume",
  "admissionregistration.k8s.io/MutatingAdmissionPolicy",
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/MutatingWebhookConfiguration",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
  "apiextensions.k8s.io/CustomResourceDefinition",
  "apiregistration.k8s.io/APIService",
  "certificates.k8s.io/CertificateSigningRequest",
  "certificates.k8s.io/ClusterTrustBundle",
  "flowcontrol.apiserver.k8s.io/FlowSchema",
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
  "networking.k8s.io/IPAddress",
  "networking.k8s.io/IngressClass",
  "networking.k8s.io/ServiceCIDR",
  "node.k8s.io/RuntimeClass",
  "rbac.authorization.k8s.io/ClusterRole",
  "rbac.authorization.k8s.io/ClusterRoleBinding",
  "resource.k8s.io/DeviceClass",
  "resource.k8s.io/DeviceTaintRule",
  "resource.k8s.io/ResourcePoolStatusRequest",
  "resource.k8s.io/ResourceSlice",
  "scheduling.k8s.io/PriorityClass",
  "storage.k8s.io/CSIDriver",
  "storage.k8s.io/CSINode",
  "storage.k8s.io/StorageClass",
  "storage.k8s.io/VolumeAttachment",
  "storage.k8s.io/VolumeAttributesClass",
  "storagemigration.k8s.io/StorageVersionMigration",
]);

/**
 * Returns the plural that Kubernetes and the generators of CustomResourceDefinitions would choose.
 */
function guessPlural(kind: string): string {
  const name = kind.toLowerCase();
  if (name === "endpoints") return name;
  if (/(s|x|z|ch|sh)$/.test(name)) return `${name}es`;
  return /[^aeiou]y$/.test(name) ? `${name.slice(0, -1)}ies` : `${name}s`;
}
