import { idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../model/object.ts";
import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import type { InventoryEntry, LiveObjects } from "../model/release.ts";
import { type LiveList, listsToRead } from "../plan/cluster-reads.ts";
import type { DesiredObject } from "../plan/declared/desired.ts";
import { undeclaredDependencies } from "../plan/order/explicit-edges.ts";
import type { Answer, Cluster } from "../ports.ts";
import { clusterProblem } from "./cluster-problem.ts";
import { inParallel } from "./in-parallel.ts";
import { listWhereServed } from "./list-where-served.ts";

/** One LIST per kind and namespace, and single reads for what annotations name outside the deployment. */
export async function readLive(
  cluster: Cluster,
  desired: readonly DesiredObject[],
  inventory: readonly InventoryEntry[],
  concurrency: number,
): Promise<Result<LiveObjects>> {
  const problems: Problem[] = [];
  const live = new Map<string, KubeObject>();
  const collect = (answer: Answer<readonly KubeObject[]>, doing: string) => {
    if (!answer.ok) problems.push(clusterProblem(cluster, doing, answer.failure));
    else for (const object of answer.value) live.set(keyOf(idOf(object)), object);
  };
  await inParallel(listsToRead(desired, inventory), concurrency, async (list) =>
    collect(await listWhereServed(cluster, list), listing(list)),
  );
  await inParallel(undeclaredDependencies(desired), concurrency, async (id) =>
    collect(await readOutside(cluster, id), `read ${nameOf(id)}`),
  );
  return problems.length > 0 ? failed(problems) : ok(live);
}

/** What does not exist is a matter of the plan, which names who depends on it. */
async function readOutside(cluster: Cluster, id: ObjectId): Promise<Answer<readonly KubeObject[]>> {
  const served = await cluster.preferredKind(id.group, id.kind);
  if (!served.ok) return { ok: true, value: [] };
  const { group, version, namespaced } = served.value;
  // Without a namespace an entry may mean either; only one of the two can exist.
  if (namespaced !== (id.namespace !== "")) return { ok: true, value: [] };
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const answer = await cluster.read({ ...id, apiVersion });
  if (!answer.ok) return answer;
  return { ok: true, value: answer.value === undefined ? [] : [answer.value] };
}

function listing({ kind, apiVersion, namespace }: LiveList): string {
  return `list ${kind} (${apiVersion})${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
}
