import pMap from "p-map";
import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { textAt } from "../../model/json.ts";
import { keyOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { ClusterFact, DependencyFact } from "../../preflight/cluster-facts.ts";
import {
  changesWithNewDependencies,
  type ObjectDependency,
  podDependencies,
} from "../../preflight/dependencies.ts";
import { plannedPods } from "../../preflight/planned-pods.ts";
import { toFact } from "./read-facts.ts";

/**
 * Reads whether the objects exist that objects of a plan name directly and that the plan doesn't
 * declare, by key.
 */
export async function readObjectDependencies(
  cluster: Cluster,
  { changes }: Plan,
  concurrency: number,
): Promise<ReadonlyMap<string, ClusterFact<DependencyFact>>> {
  const declared = new Set(changes.map(({ key }) => key));
  const needs = changesWithNewDependencies(changes).flatMap((each) => each.needs);
  const wanted = new Map(needs.map((need) => [keyOf(need.id), need] as const));
  const read = await pMap(
    [...wanted].filter(([key]) => !declared.has(key)),
    async ([key, need]) => [key, toFact(await readNeed(cluster, need), (found) => found)] as const,
    { concurrency },
  );
  return new Map(read);
}

/**
 * Reads whether the named object exists.
 * The class of manually created volumes is often only a name; it exists if a volume has it.
 */
async function readNeed(
  cluster: Cluster,
  { id, apiVersion }: ObjectDependency,
): Promise<ApiResult<DependencyFact>> {
  const answer = await cluster.read({ ...id, apiVersion });
  if (!answer.ok) return answer;
  const exists = answer.value !== undefined;
  if (id.kind === "ValidatingAdmissionPolicy") {
    return { ok: true, value: { exists, object: answer.value } };
  }
  if (exists || id.kind !== "StorageClass") return { ok: true, value: { exists } };
  const volumes = await cluster.list("v1", "PersistentVolume", undefined);
  if (!volumes.ok) return volumes;
  const hasVolume = volumes.value.items.some(
    (volume) => textAt(volume, "spec", "storageClassName") === id.name,
  );
  return { ok: true, value: { exists: hasVolume } };
}

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
