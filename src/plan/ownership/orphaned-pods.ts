import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import { isSubset } from "../../model/cluster/immutable-fields.ts";
import { parseIgnoredPaths } from "../../model/fields/ignored-paths.ts";
import { at, isObject, listAt, numberAt } from "../../model/json.ts";
import { annotation, idOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { LiveObjects } from "../../model/release.ts";
import type { DeploymentIdentity } from "../../ssa/protection.ts";
import type { PreparedObject } from "../declared/objects.ts";
import { autoscalerFinder } from "./controller-owned-fields.ts";
import type { IgnoreResult } from "./ignore-changes.ts";

/**
 * Returns the number of replicas that a missing StatefulSet had, by its Pods without a controller.
 * They exist if a run was killed while it replaced the StatefulSet without its Pods.
 */
export function orphanedReplicas(set: KubeObject, pods: readonly KubeObject[]): number | undefined {
  const labels = at(set, "spec", "selector", "matchLabels");
  const ordinals = pods
    .filter((pod) => !hasController(pod) && isSelected(pod, labels))
    .map((pod) => ordinalOf(idOf(set).name, idOf(pod).name))
    .filter((ordinal) => ordinal !== undefined);
  if (ordinals.length === 0) return undefined;
  return Math.max(...ordinals) + 1 - (numberAt(set, "spec", "ordinals", "start") ?? 0);
}

function hasController(pod: KubeObject): boolean {
  return listAt(pod, "metadata", "ownerReferences").some(
    (owner) => at(owner, "controller") === true,
  );
}

function isSelected(pod: KubeObject, labels: ReturnType<typeof at>): boolean {
  const own = at(pod, "metadata", "labels");
  return isObject(labels) && isObject(own) && isSubset(labels, own);
}

function ordinalOf(set: string, pod: string): number | undefined {
  const rest = pod.startsWith(`${set}-`) ? pod.slice(set.length + 1) : "";
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}

/**
 * Creates a StatefulSet again with the replicas that its Pods show, if the manifest doesn't decide.
 * With fewer replicas, its controller would delete Pods and, with `whenScaled: Delete`, their data.
 */
export function keepOrphanedReplicas(
  owner: DeploymentIdentity,
  { objects, notices }: IgnoreResult,
  live: LiveObjects,
  counts: ReadonlyMap<string, number>,
): IgnoreResult {
  if (counts.size === 0) return { objects, notices };
  const declared = objects.map(({ object }) => object);
  const findAutoscaler = autoscalerFinder(owner, declared, [...live.values()]);
  const kept = objects.map((desired) => {
    const count = counts.get(desired.key) ?? 0;
    const isOthers =
      ["stays", "scales to zero"].includes(findAutoscaler(desired.key)) ||
      ignoresReplicas(desired.object);
    const isFewer = (numberAt(desired.object, "spec", "replicas") ?? 1) < count;
    return isOthers && isFewer ? withReplicas(desired, count) : { object: desired, notices: [] };
  });
  return {
    objects: kept.map(({ object }) => object),
    notices: [...notices, ...kept.flatMap((each) => each.notices)],
  };
}

function ignoresReplicas(object: KubeObject): boolean {
  const paths = parseIgnoredPaths(annotation(object, ignoreChangesAnnotation) ?? "");
  return paths.some(({ text }) => text === "spec.replicas");
}

function withReplicas(desired: PreparedObject, replicas: number) {
  const { object, id } = desired;
  const spec = isObject(object.spec) ? object.spec : {};
  const notice: Problem = {
    code: "controller-owned-field",
    subjects: [nameOf(id)],
    what: `${nameOf(id)}: spec.replicas is ${replicas}`,
    why: "An earlier run deleted the StatefulSet without its Pods, and another controller owns the number",
    fix: "Nothing to do",
    where: [],
  };
  const kept: PreparedObject = { ...desired, object: { ...object, spec: { ...spec, replicas } } };
  return { object: kept, notices: [notice] };
}
