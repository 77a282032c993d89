import {
  explainCondition,
  findCondition,
  type StatusCondition,
} from "../../../health/conditions.ts";
import { isCaInjected } from "../../../model/cluster/webhooks.ts";
import { at, sameJson, textAt } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import { failed, ready, type Status, type StatusFacts, waiting } from "./conditions.ts";

export function namespaceStatus(object: KubeObject): Status {
  const phase = textAt(object, "status", "phase") ?? "unknown";
  return phase === "Active" ? ready() : waiting(`phase ${phase}`);
}

/**
 * Reports a quota as ready when its status has the declared limits.
 * The API server enforces the limits in the status, which the quota controller updates a moment
 * later.
 */
export function resourceQuotaStatus(quota: KubeObject): Status {
  const declared = at(quota, "spec", "hard") ?? {};
  const enforced = at(quota, "status", "hard") ?? {};
  return sameJson(declared, enforced)
    ? ready()
    : waiting("its limits aren't in effect yet (status.hard differs from spec.hard)");
}

/**
 * Computes the status of a Service.
 * The address of a load balancer can take minutes. qvs waits for it only if another object
 * references it.
 */
export function serviceStatus(object: KubeObject): Status {
  const isLoadBalancer = textAt(object, "spec", "type") === "LoadBalancer";
  const hasAddress = (textAt(object, "spec", "clusterIP") ?? "") !== "";
  return isLoadBalancer && !hasAddress ? waiting("no cluster IP yet") : ready();
}

/**
 * Computes the status of a claim.
 * A claim that binds on first use counts as ready. Its Pod waits for it, so a wait would be
 * circular.
 */
export function persistentVolumeClaimStatus(object: KubeObject, facts: StatusFacts): Status {
  const phase = textAt(object, "status", "phase") ?? "Pending";
  if (phase === "Bound") return ready();
  if (phase === "Lost") return failed("Lost: the volume that it was bound to no longer exists");
  switch (facts.binding) {
    case "on first use":
      return { state: "ready", notice: "binds when the first Pod uses it" };
    case "unknown":
      // If the claim isn't bound in time, the Pods that use it report the problem.
      return { state: "ready", notice: "not awaited, because qvs can't read its StorageClass" };
    case "at once":
      return waiting(`phase ${phase}, not bound to a volume yet`);
  }
}

export function customResourceDefinitionStatus(object: KubeObject): Status {
  const names = findCondition(object, "NamesAccepted");
  if (names?.status === "False") return failed(explainCondition(names));
  const established = findCondition(object, "Established");
  if (established?.status === "True") return ready();
  if (established?.reason === "InvalidCABundle" && !isCaInjected(object))
    return failed(explainCondition(established));
  return waiting(["not established yet", ...notEstablishedReason(established)].join(": "));
}

/**
 * Returns the reason why a definition isn't established.
 * An example is an invalid CA of its conversion webhook that a controller must replace.
 */
function notEstablishedReason(established: StatusCondition | undefined): readonly string[] {
  return established === undefined || established.reason === "Installing"
    ? []
    : [explainCondition(established)];
}
