import type { ApiFailure } from "../model/cluster/api/api-failure.ts";
import { idleReason } from "../model/cluster/jobs.ts";
import { isSidecar } from "../model/cluster/pod-resources.ts";
import { podSpecOf } from "../model/cluster/pods.ts";
import {
  at,
  type Json,
  type JsonObject,
  listAt,
  numberAt,
  sameJson,
  textAt,
} from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";
import { referencesSecret } from "../model/plan/apply-time-reference.ts";
import { type Change, replacesPods } from "../model/plan/plan.ts";
import type { ClusterFacts } from "./cluster-facts.ts";

/** An object of the plan that creates Pods, and the spec of these Pods. */
export interface PlannedPods {
  readonly change: Change;
  readonly spec: JsonObject;
}

/** Lists the written objects that create Pods; the Pods of an unchanged object already run. */
export function plannedPods(changes: readonly Change[]): readonly PlannedPods[] {
  return changes.flatMap((change) => {
    const spec = change.action === "unchanged" ? undefined : podSpecOf(asPlanned(change))?.spec;
    return spec === undefined ? [] : [{ change, spec }];
  });
}

/**
 * Returns the spec of one Pod, as admitted if it was dry-run; undefined if the object creates none.
 */
export function samplePodSpec(
  change: Change,
  { samplePods }: Pick<ClusterFacts, "samplePods">,
): JsonObject | undefined {
  const sample = samplePods.get(change.key);
  return podSpecOf(sample?.ok === true ? sample.value : asPlanned(change))?.spec;
}

/** A container of a Pod spec. */
export interface PlacedContainer {
  readonly container: Json;
  /** The path below the Pod spec. */
  readonly path: readonly string[];
}

/** Lists the containers that run at the same time. */
export function concurrentContainers(spec: JsonObject): readonly PlacedContainer[] {
  return ["initContainers", "containers"].flatMap((list) =>
    listAt(spec, list).flatMap((container, index) =>
      list === "containers" || isSidecar(container)
        ? [{ container, path: [list, String(index)] }]
        : [],
    ),
  );
}

/**
 * Reports whether the API server rejects both the object and an object made from it as invalid.
 */
export function isAlreadyReported({ certainty }: Change, { reason }: ApiFailure): boolean {
  return reason === "invalid" && certainty.by === "refused";
}

/**
 * Reports whether the deployment waits for Pods of the object.
 * It doesn't if the object is idle, or creates Pods later.
 */
export function awaitsPods(change: Change): boolean {
  const object = asPlanned(change);
  return (
    object.kind !== "CronJob" &&
    idleReason(object) === undefined &&
    at(object, "spec", "paused") !== true &&
    numberAt(object, "spec", "replicas") !== 0
  );
}

/** Reports whether a live object keeps its Pod template. */
export function keepsTemplate(change: Change): boolean {
  const { live } = change;
  if (live === undefined || replacesPods(change)) return false;
  const template = podTemplate(asPlanned(change));
  return template !== undefined && sameJson(podTemplate(live) ?? null, template);
}

/** Returns the spec and the metadata of the Pod template. */
function podTemplate(object: KubeObject): Json | undefined {
  const pods = podSpecOf(object);
  if (pods === undefined) return undefined;
  return [pods.spec, at(object, ...pods.path.slice(0, -1), "metadata") ?? {}];
}

/**
 * Reports whether a change creates Pods although it keeps the template.
 * It adds Pods, or ends a pause that held them back. The current admission rules decide about these
 * Pods.
 */
export function addsPods(change: Change): boolean {
  const { live, action } = change;
  if (live === undefined || action === "unchanged" || !keepsTemplate(change)) return false;
  const planned = asPlanned(change);
  if (!awaitsPods(change) && planned.kind !== "CronJob") return false;
  const isResumed = idleReason(live) !== undefined && idleReason(planned) === undefined;
  const isUnpaused = at(live, "spec", "paused") === true && at(planned, "spec", "paused") !== true;
  const [before, after] = [live, planned].map((each) => numberAt(each, "spec", "replicas") ?? 1);
  const isBehind = (numberAt(live, "status", "updatedReplicas") ?? 0) < (after ?? 1);
  const isMore = (after ?? 1) > (before ?? 1);
  return isMore || isResumed || (isUnpaused && isBehind);
}

/**
 * Reports whether old Pods stay until a user deletes them, so that no deployment waits for new
 * ones.
 */
export function keepsOldPods(object: KubeObject): boolean {
  if (replacesNoPods(object)) return true;
  const strategy = at(object, "spec", "updateStrategy");
  const partition = numberAt(strategy, "rollingUpdate", "partition") ?? 0;
  return textAt(strategy, "type") === "OnDelete" || partition > 0;
}

/** Reports whether a controller only counts its Pods, whatever template they were made from. */
export function replacesNoPods({ apiVersion, kind }: KubeObject): boolean {
  const group = groupOf(apiVersion);
  return (
    (group === "apps" && kind === "ReplicaSet") ||
    (group === "" && kind === "ReplicationController")
  );
}

/**
 * Returns the object as the API server would store it.
 * For an object outside this deployment, qvs can show only the declared fields.
 */
export function asPlanned({ desired, predicted, redacted }: Change): KubeObject {
  return redacted === undefined ? (predicted ?? desired) : desired;
}

/** Reports whether all values to send are known and none comes from a Secret. */
export function hasKnownValues(change: Change): boolean {
  const {
    applyTimeReferences = [],
    dryRunSkipped,
    ignoredSecretFields = [],
    previousSecretValues = [],
  } = change;
  return (
    dryRunSkipped === undefined &&
    !referencesSecret(applyTimeReferences) &&
    applyTimeReferences.every(({ awaits }) => awaits === undefined) &&
    ignoredSecretFields.length + previousSecretValues.length === 0
  );
}
