import type { Compilation, Manifest } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import { ok, type Result } from "../model/problem.ts";
import { declareObjects } from "../plan/declared/desired.ts";
import { linkObjects } from "../plan/order/edges.ts";
import { orderObjects } from "../plan/order/order.ts";

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
 * `stage/id` in deploy order, as well as it can be told without a cluster, or why there is none: objects that wait for
 * each other. Empty when the objects themselves are not fit to be deployed, which is for `diff` and `deploy` to say.
 */
export function deployOrder(
  deployment: Deployment,
  compilation: Compilation,
): Result<readonly string[]> {
  const manifests = compilation.resources.filter((resource) => resource.type === "manifest");
  const declared = declareObjects(manifests.map(withoutForeignReferences(manifests)), {
    deployment: deployment.name,
    namespace: deployment.namespace,
    isNamespaced: (_apiVersion, kind) => !clusterScoped.has(kind),
  });
  if (!declared.ok) return ok([]);
  const edges = linkObjects(declared.value, () => true);
  const ordered = edges.ok ? orderObjects(declared.value, edges.value) : edges;
  return ordered.ok
    ? ok(ordered.value.map(({ stage, resource }) => `${stage}/${resource}`))
    : ordered;
}

/** A value that Pulumi makes decides nothing about the order of the manifests. */
function withoutForeignReferences(manifests: readonly Manifest[]): (one: Manifest) => Manifest {
  const ids = new Set(manifests.map(({ id }) => id));
  return (one) => ({ ...one, dependsOn: one.dependsOn.filter((id) => ids.has(id)) });
}
