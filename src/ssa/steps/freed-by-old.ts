import type { ApiFailure } from "../../model/cluster/api-failure.ts";
import {
  excessesOf,
  isQuotaExceeded,
  refusingQuota,
} from "../../model/cluster/api-words/namespace-rules.ts";
import { quantityOf } from "../../model/cluster/quantity.ts";
import { at, type Json, listAt, numberAt, sameJson, textAt } from "../../model/json.ts";
import { groupOf, type KubeObject } from "../../model/object.ts";
import { onNodes } from "./held-by-old.ts";

/**
 * Why a refusal of the new object is none once the old one is deleted; undefined where that is not certain. The quota is the last that a
 * server asks, so nothing else is wrong, and whoever asks for no more than the old one had exceeds no other quota either.
 */
export function whyFreed(
  failure: ApiFailure,
  object: KubeObject,
  live: KubeObject,
): string | undefined {
  const excesses = isQuotaExceeded(failure) ? excessesOf(failure) : [];
  if (excesses.length === 0 || !countsNoMore(object, live)) return undefined;
  const isFreed = excesses.every(({ used, limited }) => {
    const [now, most] = [used, limited].map(quantityOf);
    // What it asks for the old one gives back; a quota that was lowered may lack even that.
    return now !== undefined && most !== undefined && now <= most;
  });
  if (!isFreed) return undefined;
  return `ResourceQuota ${refusingQuota(failure)} has no room for it beside the old one, which is deleted first`;
}

/** Whether a quota counts no more for the new one than for the old one, whatever it counts. */
function countsNoMore(object: KubeObject, live: KubeObject): boolean {
  switch (`${groupOf(object.apiVersion)}/${object.kind}`) {
    case "/Service":
      return portsOnNodes(object) <= heldOnNodes(live) && balancers(object) <= balancers(live);
    case "/Pod":
      return runs(live) && countedOfPod.every((part) => sameJson(part(object), part(live)));
    case "/PersistentVolumeClaim":
      return false;
    default:
      return true;
  }
}

/** As many as it may get, and as many as it has for certain. */
function portsOnNodes(service: KubeObject): number {
  const type = textAt(service, "spec", "type") ?? "";
  return onNodes.has(type) ? listAt(service, "spec", "ports").length : 0;
}

function heldOnNodes(live: KubeObject): number {
  const ports = listAt(live, "spec", "ports").map((port) => numberAt(port, "nodePort") ?? 0);
  return ports.filter((port) => port !== 0).length;
}

function balancers(service: KubeObject): number {
  return Number(textAt(service, "spec", "type") === "LoadBalancer");
}

/** One that has ended counts for nothing any more. */
function runs(pod: KubeObject): boolean {
  const isEnded = ["Succeeded", "Failed"].includes(textAt(pod, "status", "phase") ?? "");
  return !isEnded && textAt(pod, "metadata", "deletionTimestamp") === undefined;
}

/** How much a Pod counts, and for which quotas. */
const countedOfPod: readonly ((pod: KubeObject) => Json)[] = [
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
  // Claims that are made for it alone count as well.
  (pod) => listAt(pod, "spec", "volumes").flatMap((volume) => at(volume, "ephemeral") ?? []),
];
