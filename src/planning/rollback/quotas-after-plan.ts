import { isSubset } from "../../model/cluster/fields/immutable-fields.ts";
import { sumAmounts } from "../../model/cluster/pod-resources.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { type JsonObject, numberAt, objectAt } from "../../model/json.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import {
  changeUsage,
  multiplyUsage,
  objectUsage,
  podUsage,
  type QuotaUsage,
} from "../../preflight/quota/quota-usage.ts";
import { matchesScopes, quotaScopes } from "../../validation/admission/quotas.ts";
import { findRolledOut, type List } from "./pods-after-plan.ts";

/** A part of the difference that a plan makes to the usage of the quotas of a namespace. */
interface UsageChange {
  readonly namespace: string;
  readonly amounts: (quota: KubeObject) => QuotaUsage;
}

/**
 * Returns a function that makes lists show the usage of quotas after a plan. It counts changed and
 * deleted objects, and the Pods whose templates the plan changes or deletes. Pods of new objects
 * aren't counted: a rollback deletes them, but only after it has restored the others.
 */
export function projectQuotas(plan: Plan, listNow: List): (list: List) => List {
  // A plan reads the quotas of each namespace, but all of them change by the same usage.
  let usage: Promise<UsageByNamespace> | undefined;
  return (list) => async (apiVersion, kind, namespace, labels, name) => {
    const answer = await list(apiVersion, kind, namespace, labels, name);
    if (!answer.ok || apiVersion !== "v1" || kind !== "ResourceQuota") return answer;
    if (answer.value.items.length === 0) return answer;
    usage ??= readUsageChanges(plan, listNow);
    const changes = await usage;
    const items = answer.value.items.map((quota) => withUsage(quota, changes));
    return { ...answer, value: { ...answer.value, items } };
  };
}

type UsageByNamespace = ReadonlyMap<string, readonly UsageChange[]>;

type PodsByNamespace = ReadonlyMap<string, readonly KubeObject[]>;

async function readUsageChanges(plan: Plan, listNow: List): Promise<UsageByNamespace> {
  const running = await listNow("v1", "Pod", undefined);
  const pods = Map.groupBy(running.ok ? running.value.items : [], (pod) => idOf(pod).namespace);
  return Map.groupBy(usageChanges(plan, pods), ({ namespace }) => namespace);
}

function withUsage(quota: KubeObject, changes: UsageByNamespace): KubeObject {
  const own = changes.get(idOf(quota).namespace) ?? [];
  const more = sumAmounts(...own.map(({ amounts }) => amounts(quota)));
  const used = Object.entries(objectAt(quota, "status", "used")).map(([name, value]) => {
    const change = more.get(name) ?? 0;
    return [name, change === 0 ? value : rounded((parseQuantity(value) ?? 0) + change)] as const;
  });
  return { ...quota, status: { ...objectAt(quota, "status"), used: Object.fromEntries(used) } };
}

/** Rounds to the smallest unit of requests, so that sums are exact. */
function rounded(amount: number): string {
  return String(Math.round(amount * 1e6) / 1e6);
}

function usageChanges(
  { changes, deletions, deployment }: Plan,
  pods: PodsByNamespace,
): readonly UsageChange[] {
  const written = changes.filter(({ action }) => action !== "unchanged");
  return [
    ...written.map((change) => ofObject(change.id.namespace, changeUsage(change, undefined))),
    ...written.flatMap((change) => ofRollout(change, deployment, pods)),
    ...deletions.flatMap(({ id, live }) => [
      ofObject(id.namespace, multiplyUsage(objectUsage(live, undefined), -1)),
      ...ofPods(live, -podCount(live), pods),
    ]),
  ];
}

/** Returns the Pods with the new template, without those with the present one. */
function ofRollout(
  change: Change,
  deployment: string,
  pods: PodsByNamespace,
): readonly UsageChange[] {
  const { live } = change;
  return findRolledOut(change, deployment).flatMap(({ namespace, template }) =>
    live === undefined
      ? []
      : [
          ...ofPods(live, -podCount(live), pods),
          ofSpec(namespace, objectAt(template, "spec"), podCount(live)),
        ],
  );
}

function ofPods(
  workload: KubeObject,
  count: number,
  pods: PodsByNamespace,
): readonly UsageChange[] {
  const spec = podSpecOf(findPod(workload, pods) ?? workload)?.spec;
  return spec === undefined || count === 0 ? [] : [ofSpec(idOf(workload).namespace, spec, count)];
}

/** Returns a running Pod of the workload, which contains the changes by admission. */
function findPod(workload: KubeObject, pods: PodsByNamespace): KubeObject | undefined {
  const labels = objectAt(workload, "spec", "template", "metadata", "labels");
  if (Object.keys(labels).length === 0) return undefined;
  const inNamespace = pods.get(idOf(workload).namespace) ?? [];
  return inNamespace.find((pod) => isSubset(labels, objectAt(pod, "metadata", "labels")));
}

/** Returns the present number of Pods of a workload, or 1 for a Pod. */
function podCount(workload: KubeObject): number {
  if (workload.kind === "Pod") return 1;
  const counts = ["replicas", "currentNumberScheduled", "active"].map((name) =>
    numberAt(workload, "status", name),
  );
  return counts.find((count) => count !== undefined) ?? 0;
}

/** A quota with scopes counts only Pods. */
function ofObject(namespace: string, usage: QuotaUsage): UsageChange {
  return {
    namespace,
    amounts: (quota) => (quotaScopes(quota).length === 0 ? usage : new Map()),
  };
}

function ofSpec(namespace: string, spec: JsonObject, count: number): UsageChange {
  return {
    namespace,
    amounts: (quota) =>
      matchesScopes(spec, quota) ? multiplyUsage(podUsage(spec, undefined), count) : new Map(),
  };
}
