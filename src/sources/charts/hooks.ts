import {
  allowAnnotation,
  dependsOnAnnotation,
  runOnceAnnotation,
} from "../../model/annotations.ts";
import { isBuiltInGroup } from "../../model/cluster/built-in-groups.ts";
import { isJob } from "../../model/cluster/jobs.ts";
import { isClusterScoped } from "../../model/kinds.ts";
import { groupOf } from "../../model/object.ts";
import type { YamlMap } from "../../model/yaml-node.ts";
import type { HookEvent, RenderedHook } from "../../ports/render.ts";
import { textOf, withField } from "./edit-yaml.ts";

/** The place of a hook: before or after the other objects of its chart, or none. */
export type HookPhase = "before" | "after" | "never";

/**
 * Returns the phase of a hook. A hook with events before and after keeps the event of the
 * installation, because qvs doesn't distinguish an installation from an upgrade.
 */
export function hookPhase({ events }: Pick<RenderedHook, "events">): HookPhase {
  const has = (event: HookEvent) => events.includes(event);
  if (has("pre-install")) return "before";
  if (has("post-install")) return "after";
  if (has("pre-upgrade")) return "before";
  return has("post-upgrade") ? "after" : "never";
}

/** Returns hooks in the order of their weights; equal ones by kind and name, as they are given. */
export function byWeight<H extends Pick<RenderedHook, "weight">>(
  hooks: readonly H[],
): readonly H[] {
  return hooks.toSorted((a, b) => a.weight - b.weight);
}

/**
 * Makes each object wait for the one before it. The first one waits for `first`. `namespace` is
 * that of objects that name none.
 */
export function inSequence(
  objects: readonly YamlMap[],
  first: readonly YamlMap[],
  namespace: string,
): readonly YamlMap[] {
  return objects.map((object, index) => {
    const before = objects[index - 1];
    return waitingFor(object, before === undefined ? first : [before], namespace);
  });
}

/** Adds dependencies to the annotation of an object. */
export function waitingFor(
  object: YamlMap,
  others: readonly YamlMap[],
  namespace: string,
): YamlMap {
  if (others.length === 0) return object;
  const added = others.map((other) => dependency(other, namespace)).join(", ");
  return withField(object, ["metadata", "annotations", dependsOnAnnotation], (before) =>
    typeof before === "string" && before !== "" ? `${before}, ${added}` : added,
  );
}

/** Returns an entry of the annotation dependsOn. */
function dependency(object: YamlMap, namespace: string): string {
  const group = groupOf(textOf(object, "apiVersion"));
  const kind = textOf(object, "kind");
  const named = textOf(object, "metadata", "namespace");
  const isNamespaced = isBuiltInGroup(group) && !isClusterScoped({ group, kind });
  const own = named !== "" ? named : isNamespaced ? namespace : "";
  const name = textOf(object, "metadata", "name");
  return `${group === "" ? "core" : group}:${kind}::${own === "" ? "" : `${own}/`}${name}`;
}

/** The time after which the cluster deletes a finished Job with a delete policy, in seconds. */
const finishedJobSeconds = 3600;

/**
 * Makes a Job run once for each content of its chart: `digest` is part of its Pod template. Helm
 * runs it with each upgrade. Other objects stay as they are.
 */
export function runWithChart(object: YamlMap, hook: RenderedHook, digest: string): YamlMap {
  const group = groupOf(textOf(object, "apiVersion"));
  if (!isJob({ group, kind: textOf(object, "kind") })) return object;
  const deletes = hook.deletePolicies.some((each) => each !== "before-hook-creation");
  const edits: readonly (readonly [readonly string[], string | number])[] = [
    [["metadata", "annotations", runOnceAnnotation], "true"],
    [["metadata", "annotations", allowAnnotation], "job-runs-again"],
    [["spec", "template", "metadata", "annotations", "checksum/chart"], digest.slice(0, 16)],
    ...(deletes ? [[["spec", "ttlSecondsAfterFinished"], finishedJobSeconds] as const] : []),
  ];
  return edits.reduce((made, [path, value]) => withDefault(made, path, value), object);
}

/** Sets a value unless the object has one. */
export function withDefault(
  object: YamlMap,
  path: readonly string[],
  value: string | number,
): YamlMap {
  return withField(object, path, (before) =>
    typeof before === "string" || typeof before === "number" ? before : value,
  );
}
