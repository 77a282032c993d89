import pLimit from "p-limit";
import pMap from "p-map";
import { readWorkloads } from "../../apply/deletion/read-workloads.ts";
import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { usableObjects } from "../../model/cluster/still-used.ts";
import type { KubeObject, ObjectId } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { anyNamespace, type FactsByNamespace } from "../../preflight/cluster-facts.ts";
import {
  findOutsideReferencingKinds,
  findReferencingKinds,
  hasNameOfPodClass,
} from "../../preflight/referencing-kinds.ts";
import { toFact } from "./read-facts.ts";

/**
 * Lists the workloads of each namespace in which the plan deletes an object that Pods can use.
 * The deployment will send the same lists.
 */
export async function readUsers(
  cluster: Cluster,
  { deletions }: Pick<Plan, "deletions">,
  concurrency: number,
): Promise<FactsByNamespace<readonly KubeObject[]>> {
  const limit = pLimit(concurrency);
  const usable = deletions.filter(
    (deletion) => usableObjects(deletion).length > 0 || hasNameOfPodClass(deletion.id),
  );
  const namespaces = [...new Set(usable.map(({ id }) => id.namespace))];
  const read = namespaces.map(async (namespace) => {
    const answer = await readWorkloads(cluster, limit, namespace === "" ? undefined : namespace);
    return [namespace, toFact(answer, (value) => value)] as const;
  });
  return new Map(await Promise.all(read));
}

/**
 * Lists the objects of other kinds that can still name a deleted object, by its namespace.
 * An object in any namespace can name a cluster-scoped object; such objects are under "".
 */
export async function readReferrers(
  cluster: Cluster,
  { deletions }: Plan,
  concurrency: number,
): Promise<FactsByNamespace<readonly KubeObject[]>> {
  const limit = pLimit(concurrency);
  const byNamespace = Map.groupBy(deletions, ({ id }) => id.namespace);
  const read = [...byNamespace].map(async ([namespace, deleted]) => {
    const ids = deleted.flatMap(deletedIds);
    const within = namespace === "" ? undefined : namespace;
    const lists = findReferencingKinds(ids).map(([apiVersion, kind]) =>
      limit(() => listIfServed(cluster, apiVersion, kind, within)),
    );
    const answers = await Promise.all(lists);
    const refused = answers.find((answer) => !answer.ok);
    const all = answers.flatMap((answer) => (answer.ok ? answer.value : []));
    return [namespace, toFact(refused ?? { ok: true, value: all }, (value) => value)] as const;
  });
  return new Map(await Promise.all(read));
}

function deletedIds({ id, products }: Deletion): readonly ObjectId[] {
  return [id, ...(products?.objects ?? [])];
}

/**
 * Lists the objects that name a deleted object from outside its namespace, under `everywhere`.
 * For example, the configuration of a webhook names its Service.
 */
export async function readOutsideReferrers(
  cluster: Cluster,
  { deletions }: Plan,
  concurrency: number,
): Promise<FactsByNamespace<readonly KubeObject[]>> {
  const kinds = findOutsideReferencingKinds(deletions.flatMap(deletedIds));
  if (kinds.length === 0) return new Map();
  const answers = await pMap(
    kinds,
    ([apiVersion, kind]) => listIfServed(cluster, apiVersion, kind, undefined),
    { concurrency },
  );
  const refused = answers.find((answer) => !answer.ok);
  const all = answers.flatMap((answer) => (answer.ok ? answer.value : []));
  return new Map([[anyNamespace, toFact(refused ?? { ok: true, value: all }, (value) => value)]]);
}

/** Lists the objects of a kind; none if the cluster doesn't serve it, such as Gateway API. */
async function listIfServed(
  cluster: Cluster,
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
): Promise<ApiResult<readonly KubeObject[]>> {
  const answer = await cluster.list(apiVersion, kind, namespace);
  if (answer.ok) return { ok: true, value: answer.value.items };
  return answer.failure.reason === "unknown-kind" ? { ok: true, value: [] } : answer;
}
