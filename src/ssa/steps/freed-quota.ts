import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import {
  isQuotaExceeded,
  quotaExcesses,
  rejectingQuota,
} from "../../model/cluster/api-messages/denials.ts";
import { parseQuantity } from "../../model/cluster/quantity.ts";
import { at, type Json, listAt, numberAt, sameJson, textAt } from "../../model/json.ts";
import { kindKey } from "../../model/kinds.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import { nodePortServiceTypes } from "./conflicting-resources.ts";

/**
 * Returns the reason why the API server will accept the new object after the old one is deleted.
 * Returns undefined if that isn't certain.
 * The API server checks quotas last, so nothing else is wrong. A demand that isn't larger than
 * before exceeds no other quota either.
 */
export function quotaFreeReason(
  failure: ApiFailure,
  object: KubeObject,
  live: KubeObject,
): string | undefined {
  const excesses = isQuotaExceeded(failure) ? quotaExcesses(failure) : [];
  if (excesses.length === 0 || !usesNoMoreQuota(object, live)) return undefined;
  const isFreed = excesses.every(({ used, limited }) => {
    const [now, most] = [used, limited].map(parseQuantity);
    // The old object frees the same usage. If the quota was lowered, even that isn't enough.
    return now !== undefined && most !== undefined && now <= most;
  });
  if (!isFreed) return undefined;
  return `ResourceQuota ${rejectingQuota(failure)} has no room for it until the old object is deleted`;
}

/** Reports whether the new object counts no more than the old one for any quota. */
function usesNoMoreQuota(object: KubeObject, live: KubeObject): boolean {
  switch (kindKey(idOf(object))) {
    case "/Service":
      return (
        nodePortDemand(object) <= nodePortUsage(live) &&
        loadBalancerCount(object) <= loadBalancerCount(live)
      );
    case "/Pod":
      return isCounted(live) && quotaPodFields.every((part) => sameJson(part(object), part(live)));
    case "/PersistentVolumeClaim":
      return false;
    default:
      return true;
  }
}

/**
 * Counts the node ports that the new Service can get. `heldOnNodes` counts those that the old one
 * has.
 */
function nodePortDemand(service: KubeObject): number {
  const type = textAt(service, "spec", "type") ?? "";
  return nodePortServiceTypes.has(type) ? listAt(service, "spec", "ports").length : 0;
}

function nodePortUsage(live: KubeObject): number {
  const ports = listAt(live, "spec", "ports").map((port) => numberAt(port, "nodePort") ?? 0);
  return ports.filter((port) => port !== 0).length;
}

function loadBalancerCount(service: KubeObject): number {
  return Number(textAt(service, "spec", "type") === "LoadBalancer");
}

/** Reports whether a Pod still counts; a Pod that has ended doesn't. */
function isCounted(pod: KubeObject): boolean {
  const isEnded = ["Succeeded", "Failed"].includes(textAt(pod, "status", "phase") ?? "");
  return !isEnded && textAt(pod, "metadata", "deletionTimestamp") === undefined;
}

/** The fields that decide how much a Pod counts, and for which quotas. */
const quotaPodFields: readonly ((pod: KubeObject) => Json)[] = [
  ...["resources", "overhead", "activeDeadlineSeconds", "priorityClassName", "affinity"].map(
    (field) => (pod: KubeObject) => at(pod, "spec", field) ?? null,
  ),
  ...["containers", "initContainers"].map(
    (field) => (pod: KubeObject) =>
      listAt(pod, "spec", field).map((container) => ({
        resources: at(container, "resources") ?? {},
        restartPolicy: at(container, "restartPolicy") ?? null,
      })),
  ),
  // Ephemeral claims of the Pod count too.
  (pod) => listAt(pod, "spec", "volumes").flatMap((volume) => at(volume, "ephemeral") ?? []),
];
