import pLimit from "p-limit";
import { readPodMakers } from "../../apply/deletion/pod-makers.ts";
import type { Answer } from "../../model/cluster/api-failure.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { FactsByNamespace } from "../../preflight/facts.ts";
import { isNamedByPods, kindsThatName } from "../../preflight/names-of.ts";
import { factOf } from "./fact-of.ts";

/** Of each namespace in which something is deleted, what may still name it: workloads, and the kinds that name kinds like it. */
export async function readNamers(
  cluster: Cluster,
  { deletions }: Plan,
  concurrency: number,
): Promise<FactsByNamespace<readonly KubeObject[]>> {
  const limit = pLimit(concurrency);
  const byNamespace = Map.groupBy(
    deletions.filter(({ id }) => id.namespace !== ""),
    ({ id }) => id.namespace,
  );
  const read = [...byNamespace].map(async ([namespace, deleted]) => {
    const kinds = kindsThatName(deleted.map(({ id }) => id));
    const lists = kinds.map(([apiVersion, kind]) =>
      limit(() => listed(cluster, apiVersion, kind, namespace)),
    );
    const makers = deleted.some(({ id }) => isNamedByPods(id))
      ? readPodMakers(cluster, limit, namespace)
      : none;
    const answers = await Promise.all([makers, ...lists]);
    const refused = answers.find((answer) => !answer.ok);
    const all = answers.flatMap((answer) => (answer.ok ? answer.value : []));
    return [namespace, factOf(refused ?? { ok: true, value: all }, (value) => value)] as const;
  });
  return new Map(await Promise.all(read));
}

const none: Promise<Answer<readonly KubeObject[]>> = Promise.resolve({ ok: true, value: [] });

/** Not every cluster serves Gateway API. */
async function listed(
  cluster: Cluster,
  apiVersion: string,
  kind: string,
  namespace: string,
): Promise<Answer<readonly KubeObject[]>> {
  const answer = await cluster.list(apiVersion, kind, namespace);
  if (answer.ok) return { ok: true, value: answer.value.items };
  return answer.failure.reason === "unknown-kind" ? { ok: true, value: [] } : answer;
}
