import pMap from "p-map";
import type { ApiResult } from "../../model/cluster/api/api-failure.ts";
import { isCrd } from "../../model/cluster/namespaces-and-crds.ts";
import type { ReleasedManifest } from "../../model/deployments/release.ts";
import type { ReleaseHistory } from "../../model/deployments/release-history.ts";
import { admissionGroup, admissionKinds } from "../../model/governors.ts";
import { textAt } from "../../model/json.ts";
import { idOf, isKubeObject, type KubeObject, keyOf, uidOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type {
  ClusterFact,
  ClusterFacts,
  DependencyFact,
  FactsByNamespace,
  OwnerFact,
  ServedKindNames,
} from "../../preflight/cluster-facts.ts";
import { declaredOwners, type OwnerReference } from "../../preflight/declared-owners.ts";
import {
  changesWithNewDependencies,
  type ObjectDependency,
  podDependencies,
} from "../../preflight/dependencies.ts";
import { changesOfPendingKinds } from "../../preflight/pending-kinds.ts";
import { plannedPods } from "../../preflight/planned-pods.ts";
import type { ActiveRollback, PreflightReleases } from "../../preflight/rule.ts";
import { isUnconfirmedRollback } from "../../releases/current-release.ts";
import { declareSameObjects } from "../../releases/with-other-stage.ts";

/** Converts an answer to a fact: a value, or the reason why it is unknown. */
export function toFact<A, T>(answer: ApiResult<A>, pick: (value: A) => T): ClusterFact<T> {
  if (answer.ok) return { known: true, value: pick(answer.value) };
  return { known: false, why: answer.failure.message };
}

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
    admissionKinds.map((kind) => cluster.list(`${admissionGroup}/v1`, kind, undefined)),
  );
  return answers.flatMap((answer) => (answer.ok ? answer.value.items : []));
}

/**
 * Reads the names of the served kinds, if the plan creates or changes a definition.
 * It uses discovery, because a list of all definitions is large.
 */
export async function readKinds(
  cluster: Cluster,
  { changes }: Plan,
): Promise<readonly ServedKindNames[]> {
  const changesCrd = changes.some(({ id, action }) => isCrd(id) && action !== "unchanged");
  if (!changesCrd) return [];
  const answer = await cluster.kinds();
  return answer.ok ? answer.value : [];
}

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

/**
 * Reads the live objects under the names of the owners that the plan's objects will have, by owner
 * key.
 */
export async function readOwners(
  cluster: Cluster,
  { changes }: Plan,
  concurrency: number,
): Promise<ReadonlyMap<string, ClusterFact<OwnerFact>>> {
  const owners = new Map(changes.flatMap(declaredOwners).map((each) => [keyOf(each.id), each]));
  const read = await pMap(
    [...owners],
    async ([key, owner]) =>
      [key, toFact(await readOwner(cluster, owner), (found) => found)] as const,
    { concurrency },
  );
  return new Map(read);
}

async function readOwner(
  cluster: Cluster,
  { apiVersion, id }: OwnerReference,
): Promise<ApiResult<OwnerFact>> {
  const kind = await cluster.kind(apiVersion, id.kind);
  if (!kind.ok) return kind;
  const { namespaced } = kind.value;
  const namespace = namespaced ? id.namespace : "";
  // A cluster-scoped object can't have an owner in a namespace, so no namespace can be searched.
  if (namespaced && namespace === "") return { ok: true, value: { namespaced, uid: undefined } };
  const answer = await cluster.read({ apiVersion, kind: id.kind, namespace, name: id.name });
  if (!answer.ok) return answer;
  const uid = answer.value === undefined ? undefined : uidOf(answer.value);
  return { ok: true, value: { namespaced, uid } };
}

/** Returns the facts about earlier releases that matter for a plan of these manifests. */
export function releaseFacts(
  { releases, newest, current }: ReleaseHistory,
  expandedConfig: readonly ReleasedManifest[],
  replacingEvent: ActiveRollback["replacingEvent"],
): PreflightReleases {
  const [, from] = releases;
  const declared = new Set(
    (current?.expandedConfig ?? []).flatMap(({ object }) =>
      isKubeObject(object) ? [keyOf(idOf(object))] : [],
    ),
  );
  if (newest === undefined || from === undefined || !isUnconfirmedRollback(newest))
    return { declared };
  const { revision, rollbackOf: to = 0 } = newest;
  const redeploysPrevious = declareSameObjects(from, { expandedConfig });
  const rollback = { revision, to, from: from.revision, redeploysPrevious, replacingEvent };
  return { declared, rollback };
}

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
