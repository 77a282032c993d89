import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { ClusterFacts } from "../../preflight/cluster-facts.ts";
import { admissionKinds, changesOfPendingKinds } from "../../preflight/pending-kinds.ts";

/**
 * Lists the webhooks and policies for objects of new kinds, which qvs can't dry-run.
 * Leaves out the kinds that qvs isn't allowed to list.
 */
export async function readAdmission(
  cluster: Cluster,
  plan: Plan,
  before: Pick<ClusterFacts, "upstreamChanges">,
): Promise<readonly KubeObject[]> {
  if (changesOfPendingKinds(plan.changes, before).length === 0) return [];
  const answers = await Promise.all(
    admissionKinds.map((kind) => cluster.list("admissionregistration.k8s.io/v1", kind, undefined)),
  );
  return answers.flatMap((answer) => (answer.ok ? answer.value.items : []));
}
