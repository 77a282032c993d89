import { holdsSecrets } from "../model/apply-time-reference.ts";
import type { ApiFailure } from "../model/cluster/api-failure.ts";
import { whyIdle } from "../model/cluster/idle-job.ts";
import { podSpecOf } from "../model/cluster/pods.ts";
import { at, type Json, type JsonObject, numberAt, sameJson, textAt } from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";
import type { Change } from "../model/plan.ts";
import type { ClusterFacts } from "./facts.ts";

/** An object of the plan that makes Pods, and the spec of those that it will make. */
export interface PlannedPods {
  readonly change: Change;
  readonly spec: JsonObject;
}

/** What of the plan makes Pods, and is written: what stays as it is runs already. */
export function plannedPods(changes: readonly Change[]): readonly PlannedPods[] {
  return changes.flatMap((change) => {
    const spec = change.action === "unchanged" ? undefined : podSpecOf(asPlanned(change))?.spec;
    return spec === undefined ? [] : [{ change, spec }];
  });
}

/** The spec of one Pod, with what admission gives it where one was dry-run; undefined for what makes none. */
export function specOfOnePod(
  change: Change,
  { samplePods }: Pick<ClusterFacts, "samplePods">,
): JsonObject | undefined {
  const sample = samplePods.get(change.key);
  return podSpecOf(sample?.ok === true ? sample.value : asPlanned(change))?.spec;
}

/** Whether the server finds invalid in the object itself what it finds in what is made of it. */
export function isToldOf({ certainty }: Change, { reason }: ApiFailure): boolean {
  return reason === "invalid" && certainty.by === "refused";
}

/** Whether the deployment waits for Pods of the object: what is idle, or makes them later, is done without any. */
export function awaitsPods(change: Change): boolean {
  const object = asPlanned(change);
  return (
    object.kind !== "CronJob" &&
    whyIdle(object) === undefined &&
    at(object, "spec", "paused") !== true &&
    numberAt(object, "spec", "replicas") !== 0
  );
}

/** Whether an object that is there keeps the template of its Pods. */
export function keepsTemplate({ live, action, ...change }: Change): boolean {
  if (live === undefined || action === "replace") return false;
  const template = templateOf(asPlanned({ live, action, ...change }));
  return template !== undefined && sameJson(templateOf(live) ?? null, template);
}

/** The spec of its Pods and their metadata. */
function templateOf(object: KubeObject): Json | undefined {
  const pods = podSpecOf(object);
  if (pods === undefined) return undefined;
  return [pods.spec, at(object, ...pods.path.slice(0, -1), "metadata") ?? {}];
}

/**
 * Whether a change that keeps the template makes Pods of it all the same, which admission judges by what there is now: more of them, or
 * those that a pause has held back.
 */
export function makesMorePods(change: Change): boolean {
  const { live, action } = change;
  if (live === undefined || action === "unchanged" || !keepsTemplate(change)) return false;
  const planned = asPlanned(change);
  if (!awaitsPods(change) && planned.kind !== "CronJob") return false;
  const isResumed = whyIdle(live) !== undefined && whyIdle(planned) === undefined;
  const isFreed = at(live, "spec", "paused") === true && at(planned, "spec", "paused") !== true;
  const [before, after] = [live, planned].map((each) => numberAt(each, "spec", "replicas") ?? 1);
  const isBehind = (numberAt(live, "status", "updatedReplicas") ?? 0) < (after ?? 1);
  const isMore = (after ?? 1) > (before ?? 1);
  return isMore || isResumed || (isFreed && isBehind);
}

/** Whether old Pods stay until somebody deletes them, so that nobody waits for new ones. */
export function keepsOldPods(object: KubeObject): boolean {
  if (replacesNoPods(object)) return true;
  const strategy = at(object, "spec", "updateStrategy");
  const partition = numberAt(strategy, "rollingUpdate", "partition") ?? 0;
  return textAt(strategy, "type") === "OnDelete" || partition > 0;
}

/** Kinds that only count their Pods, whatever template these were made from. */
export function replacesNoPods({ apiVersion, kind }: KubeObject): boolean {
  const group = groupOf(apiVersion);
  return (
    (group === "apps" && kind === "ReplicaSet") ||
    (group === "" && kind === "ReplicationController")
  );
}

/** As the server would store it; of somebody else's object only what is declared may be told. */
export function asPlanned({ desired, predicted, shows }: Change): KubeObject {
  return shows === undefined ? (predicted ?? desired) : desired;
}

/** Whether all that will be sent is known, and none of it comes from a Secret. */
export function isKnown(change: Change): boolean {
  const { late = [], unasked, ignoredSecretFields = [], previousSecretValues = [] } = change;
  return (
    unasked === undefined &&
    !holdsSecrets(late) &&
    late.every(({ awaits }) => awaits === undefined) &&
    ignoredSecretFields.length + previousSecretValues.length === 0
  );
}
