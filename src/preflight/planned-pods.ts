import type { ApiFailure } from "../model/cluster/api-failure.ts";
import { podSpecOf } from "../model/cluster/pods.ts";
import { at, type JsonObject, numberAt, textAt } from "../model/json.ts";
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
    at(object, "spec", "suspend") !== true &&
    at(object, "spec", "paused") !== true &&
    numberAt(object, "spec", "replicas") !== 0
  );
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
