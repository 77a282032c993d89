import { judgeObject } from "../../apply/readiness/status/compute-status.ts";
import { minimalDeployment } from "../../deploying/queries/locate-deployment.ts";
import { createHealthLookup } from "../../health/evaluator.ts";
import type { HealthState } from "../../health/rule.ts";
import { deploymentLabel, releaseNamespaceLabel } from "../../model/annotations.ts";
import { isBuiltInGroup } from "../../model/cluster/api/built-in-groups.ts";
import type { HealthRule } from "../../model/health-rule.ts";
import { isObject, type Json, textAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../model/object.ts";
import type { World } from "../../ports/world.ts";
import { recordedInstances } from "../../releases/queries/instances.ts";
import { readReadableReleases } from "../../releases/store.ts";

/** The state of one object. Strings are empty if the object lacks the field. */
export interface ObjectHealth {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: HealthState;
  readonly reason: string;
  /** The place of the rule: a built-in file, a file of the user, `built-in` or `general`. */
  readonly rule: string;
}

/** An object to judge, with the rules of the release that owns it. */
export interface ObjectToJudge {
  readonly value: Json;
  /** Undefined if no release owns the object, or its release has no rules. */
  readonly rules?: readonly HealthRule[] | undefined;
}

/** Judges objects in their order. Values that aren't objects have an unknown state. */
export function judgeObjects(
  objects: readonly ObjectToJudge[],
  now: Date,
): readonly ObjectHealth[] {
  const findHealth = createHealthLookup();
  return objects.map(({ value, rules }) => {
    const object = toObject(value);
    const names = {
      apiVersion: textAt(value, "apiVersion") ?? "",
      kind: textAt(value, "kind") ?? "",
      namespace: textAt(value, "metadata", "namespace") ?? "",
      name: textAt(value, "metadata", "name") ?? "",
    };
    if (object === undefined) return { ...names, ...notAnObject };
    const { state, reason, rule } = judgeObject(object, findHealth(rules), now);
    return { ...names, state, reason, rule };
  });
}

const notAnObject = {
  state: "unknown",
  reason: "it has no apiVersion and kind",
  rule: "general",
} as const;

/** Returns the object with metadata, which an object in a file can lack. */
function toObject(value: Json): KubeObject | undefined {
  const apiVersion = textAt(value, "apiVersion");
  const kind = textAt(value, "kind");
  if (!isObject(value) || apiVersion === undefined || kind === undefined) return undefined;
  const metadata = value["metadata"];
  return { ...value, apiVersion, kind, metadata: isObject(metadata) ? metadata : {} };
}

/**
 * Reads the health rules of the release that owns an object, by the labels of the object. The
 * release must contain the object, because a user can set labels.
 * Undefined if there is none, or if this identity isn't allowed to read the records. Kinds of
 * Kubernetes have no such rules, so it sends no request for them.
 */
export async function readReleaseRules(
  world: Pick<World, "target" | "decompress">,
  object: KubeObject,
  context: string | undefined,
): Promise<readonly HealthRule[] | undefined> {
  const id = idOf(object);
  const name = textAt(object, "metadata", "labels", deploymentLabel);
  const namespace = textAt(object, "metadata", "labels", releaseNamespaceLabel);
  const isLabeled = name !== undefined && namespace !== undefined;
  if (!isLabeled || isBuiltInGroup(id.group)) return undefined;
  const deployment = minimalDeployment(name, namespace, context);
  const { cluster } = await world.target(deployment);
  const read = await readReadableReleases(cluster, deployment, world);
  if (!read.ok) return undefined;
  const key = keyOf(id);
  return recordedInstances(read.value).find((each) => each.key === key)?.healthRules;
}
