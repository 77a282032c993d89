import { at, isObject, type JsonObject } from "./json.ts";
import { groupOf, type KubeObject } from "./object.ts";

/** Where each kind that makes Pods keeps the spec of its Pods. Other kinds have none as far as we know. */
const podSpecPaths: Readonly<Record<string, readonly string[]>> = {
  "core:Pod": ["spec"],
  "core:PodTemplate": ["template", "spec"],
  "core:ReplicationController": ["spec", "template", "spec"],
  "apps:Deployment": ["spec", "template", "spec"],
  "apps:StatefulSet": ["spec", "template", "spec"],
  "apps:DaemonSet": ["spec", "template", "spec"],
  "apps:ReplicaSet": ["spec", "template", "spec"],
  "batch:Job": ["spec", "template", "spec"],
  "batch:CronJob": ["spec", "jobTemplate", "spec", "template", "spec"],
  "argoproj.io:Rollout": ["spec", "template", "spec"],
};

export interface PodSpec {
  readonly spec: JsonObject;
  /** Where it is in the object, e.g. ["spec", "template", "spec"]. */
  readonly path: readonly string[];
}

/** The spec of the Pods that an object makes; undefined for every other object. */
export function podSpecOf(object: KubeObject): PodSpec | undefined {
  const group = groupOf(object.apiVersion);
  const path = podSpecPaths[`${group === "" ? "core" : group}:${object.kind}`];
  if (path === undefined) return undefined;
  const spec = at(object, ...path);
  return isObject(spec) ? { spec, path } : undefined;
}
