import pMap from "p-map";
import {
  type ApiFailure,
  type ApiResult,
  apiProblem,
} from "../../model/cluster/api/api-failure.ts";
import type { InventoryEntry, LiveObjects } from "../../model/deployments/release.ts";
import {
  formatApiVersion,
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  nameOf,
  type ObjectAddress,
  type ObjectId,
} from "../../model/object.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import { type LiveList, listsToRead, objectsToRead } from "../../plan/cluster-reads.ts";
import type { DeclaredObject } from "../../plan/declared/objects.ts";
import { undeclaredDependencies } from "../../plan/order/explicit-edges.ts";
import type { Cluster } from "../../ports/kubernetes.ts";

/**
 * Reads the live objects of a plan.
 * It sends one LIST for each kind, declared version and namespace, and one GET for each definition.
 * It also reads single objects outside the deployment that annotations name.
 */
export async function readLive(
  cluster: Cluster,
  desired: readonly DeclaredObject[],
  inventory: readonly InventoryEntry[],
  concurrency: number,
): Promise<Result<LiveObjects>> {
  const problems: Problem[] = [];
  const live = new Map<string, KubeObject>();
  const versions = new Map(desired.map(({ key, object }) => [key, object.apiVersion]));
  const add = (object: KubeObject) => {
    const key = keyOf(idOf(object));
    if (!live.has(key) || versions.get(key) === object.apiVersion) live.set(key, object);
  };
  const collect = (answer: ApiResult<readonly KubeObject[]>, doing: string) => {
    if (!answer.ok) problems.push(apiProblem(cluster, doing, answer.failure));
    else answer.value.forEach(add);
  };
  const lists = listsToRead(desired, inventory);
  const answers = await pMap(lists, (list) => listAnyVersion(cluster, list), { concurrency });
  // The order is fixed, so that qvs always takes the same version of an object. This matters if
  // lists return it in several versions and none is declared.
  for (const [index, list] of lists.entries()) {
    const answer = answers[index];
    if (answer !== undefined) collect(answer, listAction(list));
  }
  await pMap(
    objectsToRead(desired, inventory),
    async (address) => collect(await readAnyVersion(cluster, address), `read ${nameOf(address)}`),
    { concurrency },
  );
  await pMap(
    undeclaredDependencies(desired),
    async (id) => collect(await readOutsideObject(cluster, id), `read ${nameOf(id)}`),
    { concurrency },
  );
  return problems.length > 0 ? failed(problems) : ok(live);
}

/**
 * Reads an object outside the deployment.
 * The plan reports a missing object together with its dependents.
 */
async function readOutsideObject(
  cluster: Cluster,
  id: ObjectId,
): Promise<ApiResult<readonly KubeObject[]>> {
  const served = await cluster.preferredKind(id.group, id.kind);
  if (!served.ok) return served.failure.reason === "unknown-kind" ? noObjects : served;
  const { group, version, namespaced } = served.value;
  // An entry without a namespace can mean either scope, but only one of the two can exist.
  if (namespaced !== (id.namespace !== "")) return { ok: true, value: [] };
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const answer = await cluster.read({ ...id, apiVersion });
  if (!answer.ok) return answer;
  return { ok: true, value: answer.value === undefined ? [] : [answer.value] };
}

/**
 * Reads an object in any version that the cluster serves.
 * As for lists, an object is absent only if no version of its kind is served.
 */
async function readAnyVersion(cluster: Cluster, address: ObjectAddress): Promise<LiveListAnswer> {
  const answer = await cluster.read(address);
  if (answer.ok) return { ok: true, value: answer.value === undefined ? [] : [answer.value] };
  if (answer.failure.reason !== "unknown-kind") return answer;
  const group = groupOf(address.apiVersion);
  const served = await cluster.preferredKind(group, address.kind);
  if (!served.ok) return served.failure.reason === "unknown-kind" ? noObjects : served;
  const apiVersion = formatApiVersion(served.value);
  return apiVersion === address.apiVersion
    ? answer
    : readAnyVersion(cluster, { ...address, apiVersion });
}

function listAction({ kind, apiVersion, namespace }: LiveList): string {
  return `list ${kind} of ${apiVersion}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
}

type LiveListAnswer = ApiResult<readonly KubeObject[]>;

const noObjects: LiveListAnswer = { ok: true, value: [] };

/**
 * Lists the objects of a kind in any version that the cluster serves.
 * A release can have recorded a version that the cluster no longer serves. A list is empty only if
 * the kind has no served version, or the namespace doesn't exist. qvs would forget objects that it
 * wrongly takes as absent, and never delete them.
 */
export async function listAnyVersion(cluster: Cluster, list: LiveList): Promise<LiveListAnswer> {
  const { apiVersion, kind, namespace, name } = list;
  const answer = await cluster.list(apiVersion, kind, namespace, undefined, name);
  if (answer.ok) return { ok: true, value: answer.value.items };
  switch (answer.failure.reason) {
    case "unknown-kind":
      return listInOtherVersion(cluster, list, answer.failure);
    case "not-found":
      return emptyIfNamespaceMissing(cluster, namespace, answer.failure);
    default:
      return answer;
  }
}

async function listInOtherVersion(
  cluster: Cluster,
  { apiVersion, kind, namespace }: LiveList,
  failure: ApiFailure,
): Promise<LiveListAnswer> {
  const served = await cluster.preferredKind(groupOf(apiVersion), kind);
  if (!served.ok) return served.failure.reason === "unknown-kind" ? noObjects : served;
  const { group, version } = served.value;
  const other = group === "" ? version : `${group}/${version}`;
  // Discovery is outdated: it names the version that the API server just rejected. The objects are
  // unknown.
  if (other === apiVersion) return { ok: false, failure };
  const answer = await cluster.list(other, kind, namespace);
  return answer.ok ? { ok: true, value: answer.value.items } : answer;
}

async function emptyIfNamespaceMissing(
  cluster: Cluster,
  namespace: string | undefined,
  failure: ApiFailure,
): Promise<LiveListAnswer> {
  if (namespace === undefined) return { ok: false, failure };
  const address = { apiVersion: "v1", kind: "Namespace", namespace: "", name: namespace };
  const found = await cluster.read(address);
  return found.ok && found.value === undefined ? noObjects : { ok: false, failure };
}
