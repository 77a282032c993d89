import { isInScopes } from "../../admission/quota-scopes.ts";
import { sumOf } from "../../model/cluster/pod-resources.ts";
import { at, type JsonObject, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { asPlanned } from "../planned-pods.ts";
import { usageOfPod } from "./usage.ts";

/**
 * Quotas as this plan, or one before, makes them, with what is used of them now. Of a new one that is what the Pods that run count for:
 * what else is there is not read.
 */
export function withPlannedQuotas(
  live: readonly KubeObject[],
  changes: readonly Change[],
  pods: readonly KubeObject[],
): readonly KubeObject[] {
  const planned = changes
    .filter(
      ({ id, action }) => id.group === "" && id.kind === "ResourceQuota" && action !== "unchanged",
    )
    .map((change) => quotaOf(change, live, pods));
  const replaced = new Set(planned.map(nameOfQuota));
  return [...live.filter((quota) => !replaced.has(nameOfQuota(quota))), ...planned];
}

function quotaOf(
  change: Change,
  live: readonly KubeObject[],
  pods: readonly KubeObject[],
): KubeObject {
  const planned = asPlanned(change);
  const own = live.find((quota) => nameOfQuota(quota) === change.id.name);
  // What has just been made, or only comes, has counted nothing yet.
  const used = at(own, "status", "used") ?? usedBy(pods, planned);
  return { ...planned, status: { used } };
}

function usedBy(pods: readonly KubeObject[], quota: KubeObject): JsonObject {
  const specs = pods.filter(isCounted).map((pod) => (at(pod, "spec") ?? {}) as JsonObject);
  const usages = specs
    .filter((spec) => isInScopes(spec, quota))
    .map((spec) => usageOfPod(spec, undefined));
  return Object.fromEntries([...sumOf(...usages)].map(([name, value]) => [name, String(value)]));
}

function isCounted(pod: KubeObject): boolean {
  return !["Succeeded", "Failed"].includes(textAt(pod, "status", "phase") ?? "");
}

function nameOfQuota(quota: KubeObject): string {
  return textAt(quota, "metadata", "name") ?? "";
}
