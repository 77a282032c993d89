import { ignoreChangesAnnotation } from "../../model/annotations.ts";
import { isSubset } from "../../model/cluster/fields/immutable-fields.ts";
import { controllerUid } from "../../model/cluster/owned-objects.ts";
import type { LiveObjects } from "../../model/deployments/release.ts";
import { parseIgnoredPaths } from "../../model/fields/field-path.ts";
import { at, isObject, numberAt } from "../../model/json.ts";
import { annotation, idOf, type KubeObject, nameOf } from "../../model/object.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { DeploymentIdentity } from "../../ssa/protection.ts";
import type { PreparedObject } from "../declared/objects.ts";
import { autoscalerFinder, isActive } from "./controller-owned-fields.ts";
import type { IgnoreResult } from "./ignore-changes.ts";

/**
 * Returns the number of replicas that a missing StatefulSet had, by its Pods without a controller.
 * They exist if a run was killed while it replaced the StatefulSet without its Pods.
 */
export function orphanedReplicas(set: KubeObject, pods: readonly KubeObject[]): number | undefined {
  const labels = at(set, "spec", "selector", "matchLabels") ?? {};
  const ordinals = pods
    .filter((pod) => controllerUid(pod) === undefined && hasOwnName(pod) && isSelected(pod, labels))
    .map((pod) => ordinalOf(idOf(set).name, idOf(pod).name))
    .filter((ordinal) => ordinal !== undefined);
  if (ordinals.length === 0) return undefined;
  return Math.max(...ordinals) + 1 - (numberAt(set, "spec", "ordinals", "start") ?? 0);
}

/** Reports whether a StatefulSet made the Pod. A copy has the label of its original. */
function hasOwnName(pod: KubeObject): boolean {
  return at(pod, "metadata", "labels", "statefulset.kubernetes.io/pod-name") === idOf(pod).name;
}

function isSelected(pod: KubeObject, labels: ReturnType<typeof at>): boolean {
  const own = at(pod, "metadata", "labels");
  return isObject(labels) && isObject(own) && isSubset(labels, own);
}

function ordinalOf(set: string, pod: string): number | undefined {
  const rest = pod.startsWith(`${set}-`) ? pod.slice(set.length + 1) : "";
  return /^(?:0|[1-9]\d{0,8})$/.test(rest) ? Number(rest) : undefined;
}

/**
 * Creates a StatefulSet again with the replicas that its Pods show, if an autoscaler or another
 * tool decides about them. With fewer replicas, its controller would delete Pods and, with
 * `whenScaled: Delete`, their data. If qvs knows of no autoscaler, there can still be one, so fewer
 * replicas than Pods are a problem.
 */
export function keepOrphanedReplicas(
  owner: DeploymentIdentity,
  { objects, notices }: IgnoreResult,
  live: LiveObjects,
  counts: ReadonlyMap<string, number>,
): Result<IgnoreResult> {
  if (counts.size === 0) return ok({ objects, notices });
  const declared = objects.map(({ object }) => object);
  const findAutoscaler = autoscalerFinder(owner, declared, [...live.values()]);
  const problems: Problem[] = [];
  const kept = objects.map((desired) => {
    const unchanged = { object: desired, notices: [] };
    const count = counts.get(desired.key) ?? 0;
    if ((numberAt(desired.object, "spec", "replicas") ?? 1) >= count) return unchanged;
    const autoscaler = ignoresReplicas(desired.object) ? "stays" : findAutoscaler(desired.key);
    if (autoscaler === "unknown") problems.push(fewerReplicas(desired, count));
    return isActive(autoscaler) ? withReplicas(desired, count) : unchanged;
  });
  if (problems.length > 0) return failed(problems);
  return ok({
    objects: kept.map(({ object }) => object),
    notices: [...notices, ...kept.flatMap((each) => each.notices)],
  });
}

function ignoresReplicas(object: KubeObject): boolean {
  const paths = parseIgnoredPaths(annotation(object, ignoreChangesAnnotation) ?? "");
  const names = ["spec", "replicas"];
  return paths.some(({ steps = [] }) =>
    steps.length > 0 && steps.length <= names.length
      ? steps.every((step, index) => step.type === "field" && step.name === names[index])
      : false,
  );
}

function fewerReplicas({ id, object }: PreparedObject, count: number): Problem {
  const declared = numberAt(object, "spec", "replicas");
  return {
    code: "fewer-replicas",
    subjects: [nameOf(id)],
    where: [],
    what: `${nameOf(id)}: the new StatefulSet would delete Pods of the one that an earlier run deleted`,
    facts: [
      { label: "Pods", value: `${count}` },
      { label: "manifest", value: declared === undefined ? "1 (default)" : `${declared}` },
    ],
    why: "The earlier run was interrupted, and the number can be that of an autoscaler",
    fix: "Declare the number of Pods, and change it in a later deployment",
    paste: ["spec:", `  replicas: ${count}`],
  };
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
