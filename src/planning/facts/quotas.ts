import pMap from "p-map";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { FactsByNamespace } from "../../preflight/cluster-facts.ts";
import { toFact } from "./to-fact.ts";

/** Lists the ResourceQuotas of the namespaces in which the plan writes objects. */
export async function readQuotas(
  cluster: Cluster,
  { changes }: Plan,
  concurrency: number,
): Promise<FactsByNamespace<readonly KubeObject[]>> {
  const written = changes.filter(({ action }) => action !== "unchanged");
  const namespaces = new Set(written.map(({ id }) => id.namespace).filter((name) => name !== ""));
  const read = await pMap(
    namespaces,
    async (namespace) => {
      const answer = await cluster.list("v1", "ResourceQuota", namespace);
      return [namespace, toFact(answer, ({ items }) => items)] as const;
    },
    { concurrency },
  );
  return new Map(read);
}
