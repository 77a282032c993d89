import { podSpecOf } from "../model/cluster/pods.ts";
import { at, isList, isObject, type Json, numberAt, sameJson } from "../model/json.ts";
import type { UpstreamChange } from "../model/other-deployments.ts";
import type { ClusterFacts } from "./cluster-facts.ts";
import { asPlanned } from "./planned-pods.ts";

/**
 * Returns the earlier deployment that changes which Pods exist or their requests; undefined if
 * there is none.
 * Free space on nodes and in quotas will be different by then, and qvs hasn't computed it. Other
 * images and settings of the same Pods don't matter.
 */
export function upstreamPodChange({
  upstreamChanges,
  upstreamDeletions,
}: Pick<ClusterFacts, "upstreamChanges" | "upstreamDeletions">): string | undefined {
  const deleted = upstreamDeletions.find(({ live }) => podSpecOf(live) !== undefined);
  return upstreamChanges.find(changesPlacement)?.deployment ?? deleted?.deployment;
}

function changesPlacement(change: UpstreamChange): boolean {
  const planned = asPlanned(change);
  const after = podSpecOf(planned)?.spec;
  if (after === undefined) return false;
  const before = change.live === undefined ? undefined : podSpecOf(change.live)?.spec;
  if (before === undefined) return numberAt(planned, "spec", "replicas") !== 0;
  const replicas = at(planned, "spec", "replicas");
  const hasOthers = !sameJson(replicas, at(change.live, "spec", "replicas"));
  return hasOthers || !sameJson(placementFields(after), placementFields(before));
}

const fieldsWithoutPlacement: ReadonlySet<string> = new Set([
  "image",
  "env",
  "envFrom",
  "command",
  "args",
]);

/** Removes the fields that no scheduler reads. */
function placementFields(value: Json): Json {
  if (isList(value)) return value.map(placementFields);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([name]) => !fieldsWithoutPlacement.has(name));
  return Object.fromEntries(fields.map(([name, inner]) => [name, placementFields(inner)]));
}
