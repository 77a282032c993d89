import { sumAmounts } from "../../model/cluster/pod-resources.ts";
import { isFinishedPod } from "../../model/cluster/pods.ts";
import { at, type JsonObject, textAt } from "../../model/json.ts";
import { isCoreKind } from "../../model/kinds.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change, Plan } from "../../model/plan/plan.ts";
import { stages } from "../../model/sources/compilation.ts";
import { matchesScopes } from "../../validation/admission/quotas.ts";
import { asPlanned } from "../planned-pods.ts";
import type { QuotaDemand } from "./quota-demand.ts";
import { podUsage } from "./quota-usage.ts";

/**
 * Returns the quotas as this plan or an earlier deployment leaves them, with their current usage.
 * For a new quota, this is the usage of the running Pods; qvs doesn't read other objects.
 */
export function withPlannedQuotas(
  live: readonly KubeObject[],
  changes: readonly Change[],
  pods: readonly KubeObject[],
): readonly KubeObject[] {
  const planned = changes
    .filter(({ id, action }) => isCoreKind(id, "ResourceQuota") && action !== "unchanged")
    .map((change) => plannedQuota(change, live, pods));
  const replaced = new Set(planned.map(quotaName));
  return [...live.filter((quota) => !replaced.has(quotaName(quota))), ...planned];
}

function plannedQuota(
  change: Change,
  live: readonly KubeObject[],
  pods: readonly KubeObject[],
): KubeObject {
  const planned = asPlanned(change);
  const own = live.find((quota) => quotaName(quota) === change.id.name);
  // A quota that was just created, or doesn't exist yet, has counted nothing.
  const used = at(own, "status", "used") ?? usedAmounts(pods, planned);
  return { ...planned, status: { used } };
}

function usedAmounts(pods: readonly KubeObject[], quota: KubeObject): JsonObject {
  const specs = pods.filter(isCounted).map((pod) => (at(pod, "spec") ?? {}) as JsonObject);
  const usages = specs
    .filter((spec) => matchesScopes(spec, quota))
    .map((spec) => podUsage(spec, undefined));
  return Object.fromEntries(
    [...sumAmounts(...usages)].map(([name, value]) => [name, String(value)]),
  );
}

function isCounted(pod: KubeObject): boolean {
  return !isFinishedPod(pod);
}

function quotaName(quota: KubeObject): string {
  return textAt(quota, "metadata", "name") ?? "";
}

/**
 * Lists the demands that count at the same time in the worst cases: at the end, and during each
 * Job.
 * Objects that wait for the Job don't exist yet. Objects that it waits for have ended, if they end.
 */
export function concurrentDemands(
  demands: readonly QuotaDemand[],
  { changes }: Pick<Plan, "changes">,
): readonly (readonly QuotaDemand[])[] {
  const ending = demands.filter(({ afterEnd }) => afterEnd !== undefined);
  const before = dependencyEdges(changes);
  const after = reversed(before);
  const during = ending.map(({ change }) => {
    const awaited = reachable(change.key, before);
    const waiting = reachable(change.key, after);
    const later = stages.indexOf(change.stage);
    return demands.flatMap((demand): readonly QuotaDemand[] => {
      const { key, stage } = demand.change;
      const place = stages.indexOf(stage);
      if (waiting.has(key) || place > later) return [];
      return [awaited.has(key) || place < later ? afterPodsEnd(demand) : demand];
    });
  });
  return [demands.map(afterPodsEnd), ...during];
}

/** Returns the demand after its Pods have ended; unchanged if they stay. */
export function afterPodsEnd(demand: QuotaDemand): QuotaDemand {
  const { afterEnd } = demand;
  if (afterEnd === undefined) return demand;
  return { ...demand, final: afterEnd, peak: afterEnd, step: afterEnd, made: afterEnd };
}

type Edges = ReadonlyMap<string, readonly string[]>;

function dependencyEdges(changes: readonly Change[]): Edges {
  return new Map(changes.map(({ key, after }) => [key, after.map(({ on }) => on)]));
}

function reversed(edges: Edges): Edges {
  const pairs = [...edges].flatMap(([from, all]) => all.map((to) => [to, from] as const));
  const grouped = Map.groupBy(pairs, ([to]) => to);
  return new Map([...grouped].map(([to, all]) => [to, all.map(([, from]) => from)]));
}

function reachable(start: string, edges: Edges): ReadonlySet<string> {
  const seen = new Set<string>();
  const queue = [...(edges.get(start) ?? [])];
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if (seen.has(key)) continue;
    seen.add(key);
    queue.push(...(edges.get(key) ?? []));
  }
  return seen;
}
