import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { admissionKinds, ofComingKinds } from "../../preflight/coming-kinds.ts";
import type { ClusterFacts } from "../../preflight/facts.ts";

/** Webhooks and policies that decide about what nobody can ask them about, since its kind only comes. What may not be read is left out. */
export async function readAdmission(
  cluster: Cluster,
  plan: Plan,
  before: Pick<ClusterFacts, "earlier">,
): Promise<readonly KubeObject[]> {
  if (ofComingKinds(plan.changes, before).length === 0) return [];
  const answers = await Promise.all(
    admissionKinds.map((kind) => cluster.list("admissionregistration.k8s.io/v1", kind, undefined)),
  );
  return answers.flatMap((answer) => (answer.ok ? answer.value.items : []));
}
