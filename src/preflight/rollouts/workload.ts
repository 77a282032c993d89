import { idleReason } from "../../model/cluster/jobs.ts";
import { podSpecOf } from "../../model/cluster/pods.ts";
import { boundedReplicas, readScaler } from "../../model/cluster/scalers.ts";
import {
  at,
  isList,
  isObject,
  type Json,
  type JsonObject,
  numberAt,
  sameJson,
  textAt,
} from "../../model/json.ts";
import { runsPodsWithoutRollout } from "../../model/kinds.ts";
import { type KubeObject, keyOf, uidOf } from "../../model/object.ts";
import { type Change, type Plan, replacesPods } from "../../model/plan/plan.ts";
import { addsPods, asPlanned } from "../planned-pods.ts";
import { type Labels, labelsAt } from "../scheduling/selectors.ts";

/** Kinds with Pods that a controller replaces step by step. */
type WorkloadKind = "Deployment" | "StatefulSet" | "DaemonSet" | "Rollout";

/** A change that rolls out Pods of a template. */
export interface Workload {
  readonly change: Change;
  readonly kind: WorkloadKind;
  /** The object as the API server will store it. */
  readonly object: KubeObject;
  readonly spec: JsonObject;
  readonly live: KubeObject | undefined;
  /** The uid of the live object; empty if the object is created or replaced. */
  readonly uid: string;
  readonly replicas: number;
  readonly hasSameTemplate: boolean;
}

/** Lists the changes that create or replace Pods with a rollout. */
export function rolledOutWorkloads(plan: Plan): readonly Workload[] {
  return plan.changes.flatMap((change) => {
    const kind = workloadKind(change);
    if (kind === undefined) return [];
    const object = storedObject(change);
    const own = at(object, "spec");
    if (!isObject(own) || isPaused(own)) return [];
    const source = templateSource(change, own, plan);
    const spec = source === undefined ? own : { ...own, template: plannedTemplate(source) };
    const replicas = kind === "DaemonSet" ? 1 : plannedReplicas(change, spec, plan);
    const template = at((source ?? change).live, "spec", "template");
    const live = replacesPods(change) ? undefined : change.live;
    const workload: Workload = {
      ...{ change, kind, object, spec, live, replicas },
      uid: live === undefined ? "" : uidOf(live),
      hasSameTemplate: live !== undefined && sameJson(template, spec.template),
    };
    return replicas === 0 || isUpToDate(workload) ? [] : [workload];
  });
}

function workloadKind({ id }: Change): WorkloadKind | undefined {
  const { group, kind } = id;
  if (group === "argoproj.io" && kind === "Rollout") return kind;
  if (group !== "apps") return undefined;
  return kind === "Deployment" || kind === "StatefulSet" || kind === "DaemonSet" ? kind : undefined;
}

/**
 * Returns the change of the object that `workloadRef` names, if the plan contains it.
 * A Rollout can use the template of another object.
 */
function templateSource({ id }: Change, spec: JsonObject, { changes }: Plan): Change | undefined {
  const ref = at(spec, "workloadRef");
  const apiVersion = textAt(ref, "apiVersion") ?? "";
  return changes.find(
    ({ id: own, desired }) =>
      isObject(ref) &&
      own.namespace === id.namespace &&
      own.kind === textAt(ref, "kind") &&
      own.name === textAt(ref, "name") &&
      desired.apiVersion === apiVersion,
  );
}

function plannedTemplate(source: Change): Json {
  return at(storedObject(source), "spec", "template") ?? null;
}

/**
 * Returns the object that the API server would store.
 * Without a dry run, it is the declared fields over the live ones.
 */
function storedObject({ action, predicted, live, desired }: Change): KubeObject {
  if (predicted !== undefined) return predicted;
  if (action === "unchanged" && live !== undefined) return live;
  const [below, above] = [at(live, "spec"), at(desired, "spec")];
  if (!isObject(below) || !isObject(above)) return desired;
  const template = containsDeclared(above.template, below.template)
    ? below.template
    : above.template;
  return { ...desired, spec: { ...below, ...above, template: template ?? null } };
}

/**
 * Reports whether the live value contains everything that is declared.
 * Further live fields are defaults.
 */
function containsDeclared(declared: Json | undefined, live: Json | undefined): boolean {
  if (isObject(declared)) {
    return Object.entries(declared).every(([name, value]) =>
      containsDeclared(value, at(live, name)),
    );
  }
  if (!isList(declared)) return declared === live;
  return (
    isList(live) &&
    live.length === declared.length &&
    declared.every((item, index) => containsDeclared(item, live[index]))
  );
}

/** Reports whether the rollout is paused. */
function isPaused(spec: JsonObject): boolean {
  return spec.paused === true;
}

/**
 * Returns the number of replicas, within the bounds of a planned autoscaler.
 * A stored number of replicas is the one that an autoscaler set last.
 */
function plannedReplicas({ id }: Change, spec: JsonObject, { changes }: Plan): number {
  const replicas = numberAt(spec, "replicas") ?? 1;
  const scaler = changes
    .map(({ desired }) => readScaler(desired))
    .find((each) => each !== undefined && keyOf(each.target) === keyOf(id));
  return scaler === undefined ? replicas : boundedReplicas(scaler, replicas);
}

/** Reports whether all Pods already match the template, are available, and will stay so. */
function isUpToDate({ change, kind, live, hasSameTemplate, replicas }: Workload): boolean {
  if (live === undefined || !hasSameTemplate) return false;
  const status = (name: string) => numberAt(live, "status", name) ?? 0;
  if (kind === "DaemonSet") {
    const nodes = status("desiredNumberScheduled");
    const isWhole =
      status("updatedNumberScheduled") === nodes && status("numberAvailable") === nodes;
    return isWhole && change.action === "unchanged";
  }
  const isWhole =
    status("updatedReplicas") === replicas &&
    status("availableReplicas") === replicas &&
    status("replicas") === replicas;
  return isWhole && numberAt(live, "spec", "replicas") === replicas;
}

/**
 * A change whose object creates Pods without a gradual rollout.
 * At least one new Pod needs a place.
 */
export interface UnrolledWorkload {
  readonly change: Change;
  /** The spec of one Pod as its template declares it. */
  readonly pod: JsonObject;
  readonly labels: Labels;
  /** True if the deployment waits for Pods of the object. */
  readonly isAwaited: boolean;
}

/** Lists the changes that create new Pods without a rollout. */
export function unrolledWorkloads({ changes }: Plan): readonly UnrolledWorkload[] {
  return changes.flatMap((change): readonly UnrolledWorkload[] => {
    const object = asPlanned(change);
    const found = podSpecOf(object);
    const { id } = change;
    if (found === undefined || !runsPodsWithoutRollout(id) || isIdle(object)) return [];
    if (!hasNewPods(change, found.path)) return [];
    const labels = labelsAt(at(object, ...found.path.slice(0, -1), "metadata", "labels"));
    return [{ change, pod: found.spec, labels, isAwaited: id.kind !== "CronJob" }];
  });
}

/** Reports whether the object is suspended or has no replicas. */
function isIdle(object: KubeObject): boolean {
  return idleReason(object) !== undefined || at(object, "spec", "replicas") === 0;
}

/**
 * Reports whether the change creates new Pods.
 * Existing objects already have their Pods. An update creates Pods only if it adds or resumes some,
 * or if it changes a CronJob's template.
 */
function hasNewPods(change: Change, path: readonly string[]): boolean {
  const { action, live, id } = change;
  if (action !== "update") return action !== "unchanged";
  if (addsPods(change)) return true;
  return id.kind === "CronJob" && !sameJson(at(live, ...path), at(asPlanned(change), ...path));
}
