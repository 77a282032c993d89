import pLimit from "p-limit";
import pMap from "p-map";
import { describeRemaining } from "../../apply/deletion/read-remaining.ts";
import { readPodReasons } from "../../apply/failure/pod-reason.ts";
import { readVolumeBinding } from "../../apply/readiness/observe-object.ts";
import { computeStatus, isAlwaysReady } from "../../apply/readiness/status/compute-status.ts";
import type { Status } from "../../apply/readiness/status/conditions.ts";
import {
  createHealthEvaluator,
  createHealthLookup,
  type HealthEvaluator,
} from "../../health/evaluator.ts";
import { deploymentLabel } from "../../model/annotations.ts";
import {
  type ApiFailure,
  type ApiResult,
  isMissingPermission,
} from "../../model/cluster/api/api-failure.ts";
import { describePendingDeletion, isBeingDeleted } from "../../model/cluster/pending-deletion.ts";
import type { InventoryObject, LiveState } from "../../model/deployments/deployment-state.ts";
import { textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { groupOf, idOf, type KubeObject, keyOf } from "../../model/object.ts";
import { type LiveList, listRequests } from "../../plan/cluster-reads.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { concurrency } from "./list-recorded.ts";

/** The states by object key. */
type InstanceStates = ReadonlyMap<string, LiveState>;

/**
 * Returns the state of each object, by the readiness rules of a deployment.
 * It sends one LIST per kind and namespace, or per kind for several namespaces. For kinds without a
 * status, it lists only metadata.
 */
export async function readInstanceStates(
  cluster: Cluster,
  instances: readonly InventoryObject[],
  now: Date,
): Promise<InstanceStates> {
  const findHealth = createHealthLookup();
  const lists = mergeLists(listRequests(instances));
  // A list of metadata isn't enough for a kind with a rule of any release.
  const listed = createHealthEvaluator([
    ...new Set(instances.flatMap(({ healthRules }) => healthRules ?? [])),
  ]);
  const live = new Map<string, ApiResult<ReadonlyMap<string, KubeObject>>>();
  await pMap(
    lists,
    async (list) => {
      const answer = await listLabeled({ cluster, health: listed }, list);
      for (const namespace of list.namespaces)
        live.set(listKey({ ...list, namespace }), answer(namespace));
    },
    { concurrency },
  );
  const states = await pMap(
    instances,
    async (instance) =>
      [
        instance.key,
        await instanceState(
          { cluster, health: findHealth(instance.healthRules), now },
          instance,
          live,
        ),
      ] as const,
    { concurrency },
  );
  return withPodReasons(cluster, new Map(states));
}

/** The objects of one kind to list, by namespace; "" for cluster-scoped objects. */
interface KindList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaces: readonly string[];
}

function mergeLists(lists: readonly LiveList[]): readonly KindList[] {
  const kinds = Map.groupBy(lists, ({ apiVersion, kind }) =>
    kindKey({ group: groupOf(apiVersion), kind }),
  );
  return [...kinds.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          {
            apiVersion: first.apiVersion,
            kind: first.kind,
            namespaces: [first, ...others].map(({ namespace = "" }) => namespace),
          },
        ],
  );
}

function listKey({
  apiVersion,
  kind,
  namespace,
}: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
}) {
  return `${kindKey({ group: groupOf(apiVersion), kind })} ${namespace}`;
}

type ListedObjects = ApiResult<ReadonlyMap<string, KubeObject>>;

/**
 * Lists one kind. If there are several namespaces, it tries all namespaces at once, and each of
 * them only if RBAC denies that.
 */
async function listLabeled(
  reader: ListReader,
  { apiVersion, kind, namespaces }: KindList,
): Promise<(namespace: string) => ListedObjects> {
  if (namespaces.length > 1) {
    const all = await listOne(reader, apiVersion, kind, undefined);
    // Any other error would also occur for each namespace, and each request takes time.
    if (all.ok || !isMissingPermission(all.failure)) return () => all;
  }
  const each = await pMap(
    namespaces,
    async (namespace) =>
      [namespace, await listOne(reader, apiVersion, kind, namespace || undefined)] as const,
    { concurrency },
  );
  const known = new Map(each);
  return (namespace) => known.get(namespace) ?? { ok: true, value: new Map() };
}

interface ListReader {
  readonly cluster: Cluster;
  readonly health: HealthEvaluator;
}

async function listOne(
  reader: ListReader,
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
): Promise<ListedObjects> {
  const { cluster, health } = reader;
  // The metadata shows whether such an object is being deleted; nothing else matters.
  const list = isAlwaysReady({ group: groupOf(apiVersion), kind }, health)
    ? "listMetadata"
    : "list";
  const answer = await cluster[list](apiVersion, kind, namespace, deploymentLabel);
  if (answer.ok) {
    const objects = answer.value.items.map((object) => [keyOf(idOf(object)), object] as const);
    return { ok: true, value: new Map(objects) };
  }
  if (answer.failure.reason !== "unknown-kind") return answer;
  const served = await cluster.preferredKind(groupOf(apiVersion), kind);
  if (!served.ok) return served.failure.reason === "unknown-kind" ? answer : served;
  const { group, version } = served.value;
  const other = group === "" ? version : `${group}/${version}`;
  return other === apiVersion ? answer : listOne(reader, other, kind, namespace);
}

async function instanceState(
  { cluster, health, now }: ListReader & { readonly now: Date },
  { key, id, apiVersion, release, isDoneWhenAbsent, suspends }: InventoryObject,
  live: ReadonlyMap<string, ListedObjects>,
): Promise<LiveState> {
  const listed = live.get(listKey({ apiVersion, kind: id.kind, namespace: id.namespace }));
  if (listed?.ok === false) return unknownState(listed.failure);
  const found = listed?.value.get(key) ?? (await readUnlabeled(cluster, { ...id, apiVersion }));
  if (found === undefined && isDoneWhenAbsent) {
    return { state: "ready", why: "completed, then deleted", live: undefined };
  }
  if (found === undefined) {
    const why = release === undefined ? "" : "it doesn't exist in the cluster";
    return { state: "missing", why, live: undefined };
  }
  const binding = await readVolumeBinding(cluster, found);
  const status = toInstanceState(
    computeStatus(found, { now, baseline: undefined, binding, health, suspends }),
  );
  const termination =
    status.state === "failed" ? await terminationReason(cluster, found) : undefined;
  return { ...status, why: termination ?? status.why, live: found };
}

/** Describes what blocks the deletion of an object; undefined if it isn't being deleted. */
async function terminationReason(cluster: Cluster, live: KubeObject): Promise<string | undefined> {
  const since = textAt(live, "metadata", "deletionTimestamp");
  if (since === undefined) return undefined;
  const remaining = await describeRemaining(live, { cluster, limit: pLimit(concurrency) });
  return `it has been terminating since ${since}: ${describePendingDeletion(remaining)}`;
}

/** Reads an object without its label. A removed label must not look like a missing object. */
async function readUnlabeled(
  cluster: Cluster,
  address: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  },
) {
  const answer = await cluster.read(address);
  return answer.ok ? answer.value : undefined;
}

function unknownState({ reason, message }: ApiFailure): LiveState {
  if (reason === "unknown-kind") {
    return { state: "missing", why: "the cluster doesn't serve its kind", live: undefined };
  }
  return { state: "unknown", why: message, live: undefined };
}

function toInstanceState(status: Status): Pick<LiveState, "state" | "why"> {
  return status.state === "ready"
    ? { state: status.state, why: status.notice ?? "" }
    : { state: status.state, why: status.why };
}

/** Adds the problems of the Pods to objects that aren't ready, like a deployment. */
async function withPodReasons(cluster: Cluster, states: InstanceStates): Promise<InstanceStates> {
  const unready = [...states].flatMap(([key, { live, ...judged }]) =>
    (judged.state === "waiting" || judged.state === "failed") &&
    live !== undefined &&
    !isBeingDeleted(live)
      ? [{ key, live, ...judged }]
      : [],
  );
  const objects = unready.map(({ live }) => live);
  const podReason = await readPodReasons(cluster, objects, concurrency);
  const explained = unready.map(({ key, live, why, ...state }) => {
    const reasons = [why, podReason(live)].filter(Boolean).join("; ");
    return [key, { ...state, live, why: reasons }] as const;
  });
  return new Map([...states, ...explained]);
}

/**
 * Reports whether the object needs no action. An object that the release doesn't declare can be
 * missing.
 */
export function isHealthy(
  { release }: Pick<InventoryObject, "release">,
  { state }: Pick<LiveState, "state">,
): boolean {
  if (state === "missing") return release === undefined;
  return state === "ready" || state === "suspended";
}
