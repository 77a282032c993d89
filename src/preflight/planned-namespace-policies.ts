import { governedNamespace, isNamespacePolicy } from "../model/governors.ts";
import type { Plan } from "../model/plan.ts";
import {
  type NamespacePolicyChange,
  namespacePolicyChanges,
} from "../validation/admission/changed-namespace-policies.ts";
import type { ClusterFacts } from "./cluster-facts.ts";

/**
 * Returns the changes to the admission rules of a namespace, by this plan or an earlier deployment.
 * Deletions aren't included, because qvs makes them after all new objects.
 */
export function plannedNamespacePolicies(
  { changes }: Plan,
  { upstreamChanges }: Pick<ClusterFacts, "upstreamChanges">,
): (namespace: string) => readonly NamespacePolicyChange[] {
  const written = [...upstreamChanges, ...changes].filter(
    ({ id, action }) => isNamespacePolicy(id) && action !== "unchanged",
  );
  const byNamespace = Map.groupBy(written, ({ id }) => governedNamespace(id));
  return (namespace) =>
    (byNamespace.get(namespace) ?? []).flatMap(({ live, desired, predicted }) =>
      namespacePolicyChanges(live, desired, predicted),
    );
}
