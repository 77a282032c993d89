import { at, isObject, type JsonObject } from "../../model/json.ts";
import { addressOf } from "../../model/object.ts";
import type { PreflightInput } from "../rule.ts";
import { boundsOf } from "./deployment.ts";
import type { Workload } from "./workload.ts";

/* Parts of the findings about a rollout that describe its workload. */

export function about({ object, change }: Workload, { placeOf }: PreflightInput) {
  const place = placeOf(change.key);
  return {
    object: { ...addressOf(object), namespace: change.id.namespace },
    where: place === undefined ? [] : [place],
  };
}

/** Describes how many Pods the controller replaces at a time. */
export function pace({ kind, spec, replicas }: Workload): string {
  if (kind === "StatefulSet") return `${replicas} replicas, replaced one by one`;
  if (kind === "DaemonSet") {
    const rolling = at(spec, "updateStrategy", "rollingUpdate");
    return `maxSurge ${text(at(rolling, "maxSurge"), "0")}, maxUnavailable ${text(at(rolling, "maxUnavailable"), "1")}`;
  }
  const blueGreen = at(spec, "strategy", "blueGreen") !== undefined;
  if (blueGreen) return `${replicas} replicas, and as many of the new colour before the switch`;
  const strategy = at(spec, "strategy", kind === "Rollout" ? "canary" : "rollingUpdate");
  if (isObject(at(strategy, "trafficRouting"))) {
    return `${replicas} replicas, and beside the stable ones as many canaries as each step asks for`;
  }
  const { surge, unavailable } = boundsOf((strategy ?? {}) as JsonObject, replicas, "25%");
  return `${replicas} replicas, at most ${surge} more (maxSurge) and ${unavailable} fewer (maxUnavailable)`;
}

function text(value: unknown, fallback: string): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : fallback;
}

/**
 * Lists the facts that can change the verdict later.
 * API servers that don't know `matchLabelKeys` drop it without a warning, and an autoscaler can add
 * nodes.
 */
export function later(workload: Workload, input: PreflightInput): readonly string[] {
  const { change, object } = workload;
  const autoscaler = autoscalerFor(workload, input);
  const has = (value: unknown) => JSON.stringify(value ?? null).includes('"matchLabelKeys"');
  const isDropped =
    has(at(change.desired, "spec", "template")) && !has(at(object, "spec", "template"));
  return [
    ...(isDropped
      ? ["the API server drops matchLabelKeys, which it knows since Kubernetes 1.31"]
      : []),
    ...(autoscaler === undefined ? [] : [`${autoscaler} may add nodes`]),
  ];
}

/**
 * Returns the cluster's autoscaler, if it can help the workload.
 * New nodes don't help a DaemonSet: each of its Pods belongs to one node.
 */
export function autoscalerFor({ kind }: Workload, { facts }: PreflightInput): string | undefined {
  return kind === "DaemonSet" ? undefined : facts.autoscaler;
}
