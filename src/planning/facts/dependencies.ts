import pMap from "p-map";
import { keyOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { ClusterFact, DependencyFact } from "../../preflight/cluster-facts.ts";
import { plannedPods } from "../../preflight/planned-pods.ts";
import { podDependencies } from "../../preflight/pod-dependencies.ts";
import { readObjectDependencies } from "./object-dependencies.ts";
import { toFact } from "./to-fact.ts";

/**
 * Reads the objects that Pod templates and other objects name and that the plan doesn't declare, by
 * key.
 * For a Secret, it keeps only whether the Secret exists: a preview must not show the keys in
 * Secrets outside the deployment.
 */
export async function readDependencies(
  cluster: Cluster,
  plan: Plan,
  concurrency: number,
): Promise<ReadonlyMap<string, ClusterFact<DependencyFact>>> {
  const { changes } = plan;
  const objects = readObjectDependencies(cluster, plan, concurrency);
  const declared = new Set(changes.map(({ key }) => key));
  const needs = plannedPods(changes).flatMap(({ change, spec }) =>
    podDependencies(spec).map(({ kind, name }) => ({ kind, name, namespace: change.id.namespace })),
  );
  const wanted = new Map(needs.map((need) => [keyOf({ ...need, group: "" }), need] as const));
  const read = await pMap(
    [...wanted].filter(([key]) => !declared.has(key)),
    async ([key, need]) => {
      const answer = await cluster.read({ ...need, apiVersion: "v1" });
      const fact = toFact(answer, (found): DependencyFact => {
        if (found === undefined) return { exists: false };
        if (need.kind !== "ConfigMap") return { exists: true };
        const keys = [found["data"], found["binaryData"]].flatMap((data) =>
          Object.keys(data ?? {}),
        );
        return { exists: true, keys };
      });
      return [key, fact] as const;
    },
    { concurrency },
  );
  return new Map([...read, ...(await objects)]);
}
