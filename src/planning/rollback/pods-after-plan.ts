import { controllerUid } from "../../model/cluster/owned-objects.ts";
import {
  at,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  sameJson,
  textAt,
} from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { creationTime, idOf, type KubeObject, uidOf, withMetadata } from "../../model/object.ts";
import { type Change, type Plan, replacesPods } from "../../model/plan/plan.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { contentAfterChange } from "./object-after-change.ts";

export type List = Cluster["list"];

/** A Deployment whose rollout has completed. */
export interface RolledOut {
  readonly uid: string;
  readonly namespace: string;
  readonly template: JsonObject;
  readonly replicas: number;
}

/** The hash of a template that no ReplicaSet has yet. */
const newHash = "after-plan";

/**
 * Returns a function that makes lists show the objects after the rollouts of a plan. Each changed
 * Deployment has one ReplicaSet, and its Pods have the new template on the present nodes. All other
 * objects are the same.
 */
export function projectRollouts({ changes, deployment }: Plan): (list: List) => List {
  const rolledOut = changes.flatMap((change) => findRolledOut(change, deployment));
  if (rolledOut.length === 0) return (list) => list;
  const byUid = new Map(rolledOut.map((each) => [each.uid, each]));
  const namespaces = [...new Set(rolledOut.map(({ namespace }) => namespace))];
  return (list) => {
    const readSets = async () => {
      const answers = await Promise.all(
        namespaces.map((each) => list("apps/v1", "ReplicaSet", each)),
      );
      const sets = answers.flatMap((answer) => (answer.ok ? answer.value.items : []));
      return replicaSetsOf(sets, byUid);
    };
    let known: ReturnType<typeof readSets> | undefined;
    return async (apiVersion, kind, namespace, labels, name) => {
      const answer = await list(apiVersion, kind, namespace, labels, name);
      const type = `${apiVersion} ${kind}`;
      if (!answer.ok || labels !== undefined) return answer;
      if (type !== "v1 Pod" && type !== "apps/v1 ReplicaSet") return answer;
      known ??= readSets();
      const sets = await known;
      const found = answer.value.items;
      const items = kind === "Pod" ? podsOf(sets, found) : remainingSets(sets, found);
      return { ...answer, value: { ...answer.value, items } };
    };
  };
}

/** Returns a Deployment with the template that its Pods have after the plan; none if they stay. */
export function findRolledOut(change: Change, deployment: string): readonly RolledOut[] {
  const { id, live } = change;
  if (live === undefined || kindKey(id) !== "apps/Deployment") return [];
  if (change.action === "unchanged" || replacesPods(change)) return [];
  const after = contentAfterChange(change, deployment);
  const [before, template] = [live, after].map((each) => at(each, "spec", "template"));
  if (!isObject(template)) return [];
  if (sameJson(before ?? null, template) && hasRolledOut(live)) return [];
  const replicas = numberAt(after, "spec", "replicas") ?? 1;
  return [{ uid: uidOf(live), namespace: id.namespace, template, replicas }];
}

/** Reports whether all Pods have the live template. */
function hasRolledOut(live: KubeObject): boolean {
  const [all, updated] = ["replicas", "updatedReplicas"].map((each) =>
    numberAt(live, "status", each),
  );
  return (all ?? 0) === (updated ?? 0);
}

/** The ReplicaSets of the changed Deployments. */
interface ReplicaSets {
  /** The Deployments by the UIDs of all their ReplicaSets. */
  readonly owners: ReadonlyMap<string, RolledOut>;
  /** The newest ReplicaSet of each Deployment, with the new template. */
  readonly newest: ReadonlyMap<RolledOut, KubeObject>;
}

function replicaSetsOf(
  sets: readonly KubeObject[],
  byUid: ReadonlyMap<string, RolledOut>,
): ReplicaSets {
  const owners = new Map<string, RolledOut>();
  const newest = new Map<RolledOut, KubeObject>();
  for (const set of sets.toSorted((a, b) => (creationTime(a) < creationTime(b) ? -1 : 1))) {
    const owner = byUid.get(controllerUid(set) ?? "");
    if (owner === undefined) continue;
    owners.set(uidOf(set), owner);
    newest.set(owner, withTemplate(set, owner));
  }
  return { owners, newest };
}

function withTemplate(set: KubeObject, { template, replicas }: RolledOut): KubeObject {
  const metadata = { ...objectAt(template, "metadata"), labels: podLabels(template) };
  const spec = { ...objectAt(set, "spec"), replicas, template: { ...template, metadata } };
  return { ...withMetadata(set, { labels: podLabels(template) }), spec };
}

function podLabels(template: JsonObject): JsonObject {
  return { ...objectAt(template, "metadata", "labels"), "pod-template-hash": newHash };
}

function remainingSets(
  { owners, newest }: ReplicaSets,
  found: readonly KubeObject[],
): readonly KubeObject[] {
  return found.flatMap((set) => {
    const owner = owners.get(uidOf(set));
    if (owner === undefined) return [set];
    const next = newest.get(owner);
    return next !== undefined && uidOf(next) === uidOf(set) ? [next] : [];
  });
}

function podsOf(
  { owners, newest }: ReplicaSets,
  found: readonly KubeObject[],
): readonly KubeObject[] {
  const counts = new Map<RolledOut, number>();
  // A Pod without a node is the first to be deleted.
  const placedFirst = found.toSorted((a, b) => Number(isPlaced(b)) - Number(isPlaced(a)));
  return placedFirst.flatMap((pod) => {
    const owner = owners.get(controllerUid(pod) ?? "");
    const set = owner && newest.get(owner);
    if (owner === undefined || set === undefined) return [pod];
    const count = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, count);
    return count > owner.replicas ? [] : [podAfterRollout(pod, owner.template, set)];
  });
}

function isPlaced(pod: KubeObject): boolean {
  return textAt(pod, "spec", "nodeName") !== undefined;
}

function podAfterRollout(pod: KubeObject, template: JsonObject, set: KubeObject): KubeObject {
  const nodeName = textAt(pod, "spec", "nodeName");
  const { apiVersion, kind } = set;
  const owner = { apiVersion, kind, name: idOf(set).name, uid: uidOf(set), controller: true };
  const spec = { ...objectAt(template, "spec"), ...(nodeName === undefined ? {} : { nodeName }) };
  return {
    ...withMetadata(pod, { labels: podLabels(template), ownerReferences: [owner] }),
    spec,
  };
}
