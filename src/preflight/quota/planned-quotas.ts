import { matchesScopes } from "../../admission/quota-scopes.ts";
import { sumAmounts } from "../../model/cluster/pod-resources.ts";
import { at, type JsonObject, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Change } from "../../model/plan.ts";
import { asPlanned } from "../planned-pods.ts";
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
    .filter(
      ({ id, action }) => id.group === "" && id.kind === "ResourceQuota" && action !== "unchanged",
    )
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
  return !["Succeeded", "Failed"].includes(textAt(pod, "status", "phase") ?? "");
}

function quotaName(quota: KubeObject): string {
  return textAt(quota, "metadata", "name") ?? "";
}
