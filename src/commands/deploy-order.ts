import type { Compilation } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { declareObjects } from "../plan/desired.ts";
import { linkObjects } from "../plan/edges.ts";
import { orderObjects } from "../plan/order.ts";

/** Built-in kinds without a namespace; of others nothing is known before a cluster is asked. */
const clusterScoped = new Set([
  "APIService",
  "ClusterIssuer",
  "ClusterRole",
  "ClusterRoleBinding",
  "ClusterSecretStore",
  "CustomResourceDefinition",
  "IngressClass",
  "MutatingWebhookConfiguration",
  "Namespace",
  "Node",
  "PersistentVolume",
  "PriorityClass",
  "RuntimeClass",
  "StorageClass",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration",
]);

/**
 * `stage/id` in deploy order, as well as it can be told without a cluster; empty when the manifests could not be
 * deployed as they are, which is for `diff` and `deploy` to say.
 */
export function deployOrder(deployment: Deployment, compilation: Compilation): readonly string[] {
  const manifests = compilation.resources.filter((resource) => resource.type === "manifest");
  const declared = declareObjects(manifests, {
    deployment: deployment.name,
    namespace: deployment.namespace,
    isNamespaced: (_apiVersion, kind) => !clusterScoped.has(kind),
  });
  if (!declared.ok) return [];
  const edges = linkObjects(declared.value, () => true);
  const ordered = edges.ok ? orderObjects(declared.value, edges.value) : edges;
  return ordered.ok ? ordered.value.map(({ stage, resource }) => `${stage}/${resource}`) : [];
}
