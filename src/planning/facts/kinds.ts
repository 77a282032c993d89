import { isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { ServedKindNames } from "../../preflight/cluster-facts.ts";

/**
 * Reads the names of the served kinds, if the plan creates or changes a definition.
 * It uses discovery, because a list of all definitions is large.
 */
export async function readKinds(
  cluster: Cluster,
  { changes }: Plan,
): Promise<readonly ServedKindNames[]> {
  const changesCrd = changes.some(({ id, action }) => isCrd(id) && action !== "unchanged");
  if (!changesCrd) return [];
  const answer = await cluster.kinds();
  return answer.ok ? answer.value : [];
}
