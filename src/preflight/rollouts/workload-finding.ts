import { at, isObject, type JsonObject } from "../../model/json.ts";
import { addressOf } from "../../model/object.ts";
import type { PreflightInput } from "../rule.ts";
import { capitalize } from "../rules/sentences.ts";
import { rolloutBounds } from "./deployment-controller.ts";
import { resolveShare } from "./pod-group.ts";
import type { Workload } from "./workload.ts";

/* Parts of the findings about a rollout that describe its workload. */

export function findingSubject({ object, change }: Workload, { placeOf }: PreflightInput) {
  const place = placeOf(change.key);
  return {
    object: { ...addressOf(object), namespace: change.id.namespace },
    where: place === undefined ? [] : [place],
  };
}

/** Describes how many Pods the controller replaces at a time. */
export function describePace({ kind, spec, replicas }: Workload): string {
  if (kind === "StatefulSet") {
    const share = at(spec, "updateStrategy", "rollingUpdate", "maxUnavailable");
    const together = Math.max(1, resolveShare(share, replicas, Math.floor));
    const pace = together === 1 ? "one by one" : `at most ${together} at a time (maxUnavailable)`;
    return `It has ${formatReplicas(replicas)}, replaced ${pace}`;
  }
  if (kind === "DaemonSet") {
    const rolling = at(spec, "updateStrategy", "rollingUpdate");
    return `It has maxSurge ${formatValue(at(rolling, "maxSurge"), "0")} and maxUnavailable ${formatValue(at(rolling, "maxUnavailable"), "1")}`;
  }
  const blueGreen = at(spec, "strategy", "blueGreen") !== undefined;
  if (blueGreen) {
    return `It has ${formatReplicas(replicas)}, and as many of the new version before the switch`;
  }
  const strategy = at(spec, "strategy", kind === "Rollout" ? "canary" : "rollingUpdate");
  if (isObject(at(strategy, "trafficRouting"))) {
    return `It has ${formatReplicas(replicas)}, and the canaries of each step in addition to the stable Pods`;
  }
  const { surge, unavailable } = rolloutBounds((strategy ?? {}) as JsonObject, replicas, "25%");
  return `It has ${formatReplicas(replicas)}, at most ${surge} more (maxSurge) and ${unavailable} fewer (maxUnavailable)`;
}

function formatReplicas(replicas: number): string {
  return replicas === 1 ? "1 replica" : `${replicas} replicas`;
}

function formatValue(value: unknown, fallback: string): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : fallback;
}

/**
 * Lists the facts that can change the verdict later.
 * API servers that don't know `matchLabelKeys` drop it without a warning, and an autoscaler can add
 * nodes.
 */
export function verdictCaveats(workload: Workload, input: PreflightInput): readonly string[] {
  const { change, object } = workload;
  const autoscaler = helpfulAutoscaler(workload, input);
  const mentionsLabelKeys = (value: unknown) =>
    JSON.stringify(value ?? null).includes('"matchLabelKeys"');
  const isDropped =
    mentionsLabelKeys(at(change.desired, "spec", "template")) &&
    !mentionsLabelKeys(at(object, "spec", "template"));
  return [
    ...(isDropped
      ? ["The API server drops matchLabelKeys, which it supports since Kubernetes 1.31"]
      : []),
    ...(autoscaler === undefined ? [] : [`${capitalize(autoscaler)} might add nodes`]),
  ];
}

/**
 * Returns the cluster's autoscaler, if it can help the workload.
 * New nodes don't help a DaemonSet: each of its Pods belongs to one node.
 */
export function helpfulAutoscaler(
  { kind }: Workload,
  { facts }: PreflightInput,
): string | undefined {
  return kind === "DaemonSet" ? undefined : facts.autoscaler;
}
