import type { IsNamespaced } from "../../config/inputs/bind-input.ts";
import { toJson } from "../../config/read-typed.ts";
import { readRenderedYaml } from "../../config/yaml/read.ts";
import {
  allowAnnotation,
  dependsOnAnnotation,
  runOnceAnnotation,
} from "../../model/annotations.ts";
import { isJob } from "../../model/cluster/jobs.ts";
import type { JsonObject } from "../../model/json.ts";
import { groupOf, keyOf } from "../../model/object.ts";
import type { Position } from "../../model/problems/problem.ts";
import { fieldNode, textOf, type YamlMap, type YamlScalar } from "../../model/sources/yaml-node.ts";
import type { HookEvent, RenderedChart, RenderedHook } from "../../ports/render.ts";
import { chartDigestAnnotation } from "./chart-digest.ts";

/** The place of a hook: before or after the other objects of its chart, or none. */
type HookPhase = "before" | "after" | "never";

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

/** Returns hooks in the order of Helm: by weight, then by name, then by kind as they are given. */
export function inHelmOrder<H extends Pick<RenderedHook, "weight" | "name">>(
  hooks: readonly H[],
): readonly H[] {
  return hooks.toSorted((a, b) => a.weight - b.weight || Buffer.compare(bytes(a), bytes(b)));
}

/** Helm compares the bytes of names. */
function bytes({ name }: Pick<RenderedHook, "name">): Uint8Array {
  return Buffer.from(name);
}

/** The rule for objects that name no namespace. */
export interface ObjectNamespace {
  /** The namespace of the release. */
  readonly namespace: string;
  readonly isNamespaced: IsNamespaced;
}

/** Makes each object wait for the one before it. The first one waits for `first`. */
export function inSequence(
  objects: readonly YamlMap[],
  first: readonly YamlMap[],
  placing: ObjectNamespace,
): readonly YamlMap[] {
  return objects.map((object, index) => {
    const before = objects[index - 1];
    return waitingFor(object, before === undefined ? first : [before], placing);
  });
}

/** Adds dependencies to the annotation of an object. */
export function waitingFor(
  object: YamlMap,
  others: readonly YamlMap[],
  placing: ObjectNamespace,
): YamlMap {
  if (others.length === 0) return object;
  const added = others.map((other) => dependency(other, placing)).join(", ");
  return withField(object, ["metadata", "annotations", dependsOnAnnotation], (before) =>
    typeof before === "string" && before !== "" ? `${before}, ${added}` : added,
  );
}

/** Returns an entry of the annotation dependsOn. */
function dependency(object: YamlMap, { namespace, isNamespaced }: ObjectNamespace): string {
  const group = groupOf(textOf(object, "apiVersion"));
  const kind = textOf(object, "kind");
  const named = textOf(object, "metadata", "namespace");
  const placed = isNamespaced(toJson(object) as JsonObject) ? namespace : "";
  const own = named === "" ? placed : named;
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
  const digestPath = ["spec", "template", "metadata", "annotations", chartDigestAnnotation];
  const edits: readonly (readonly [readonly string[], string | number])[] = [
    [["metadata", "annotations", runOnceAnnotation], "true"],
    [["metadata", "annotations", allowAnnotation], "job-runs-again"],
    ...(deletes ? [[["spec", "ttlSecondsAfterFinished"], finishedJobSeconds] as const] : []),
  ];
  const digested = withField(object, digestPath, () => digest);
  return edits.reduce((made, [path, value]) => withDefault(made, path, value), digested);
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

/**
 * Returns the object with a value at a path, and with the objects on the path. `change` gets the
 * former value; undefined if there is none.
 */
export function withField(
  map: YamlMap,
  [name = "", ...rest]: readonly string[],
  change: (before: YamlScalar["value"] | undefined) => string | number,
): YamlMap {
  const before = fieldNode(map, name);
  const { where } = map;
  const value =
    rest.length === 0
      ? scalar(change(before?.kind === "scalar" ? before.value : undefined), where)
      : withField(before?.kind === "map" ? before : emptyMap(where), rest, change);
  const entry = { key: scalar(name, where), name, value };
  const isKnown = map.entries.some((each) => each.name === name);
  const entries = map.entries.map((each) => (each.name === name ? { ...each, value } : each));
  return { ...map, entries: isKnown ? entries : [...entries, entry] };
}

function emptyMap(where: Position): YamlMap {
  return { kind: "map", entries: [], where };
}

function scalar(value: string | number, where: Position): YamlScalar {
  return { kind: "scalar", value, source: "", where };
}

type Rendered = Pick<RenderedChart, "manifests" | "hooks">;

/**
 * Returns the hooks of upgrades that have the name of another object of the chart. In Helm, only
 * one of the two exists at a time. qvs deploys the one of the installation.
 */
export function replacedHooks(chart: Rendered, namespace: string): readonly RenderedHook[] {
  const { manifests, hooks } = chart;
  const deployed = hooks.filter((hook) => hookPhase(hook) !== "never");
  const upgrades = deployed.filter(isUpgradeOnly);
  const others = [...manifests, ...deployed.filter((hook) => !isUpgradeOnly(hook))];
  // Most charts have no such hook, and their objects needn't be read again.
  if (upgrades.length === 0) return [];
  const keys = new Set(others.flatMap((each) => keysOf(each, namespace)));
  return upgrades.filter((hook) => keysOf(hook, namespace).some((key) => keys.has(key)));
}

/** Reports whether a hook runs at upgrades, but not at the installation. */
export function isUpgradeOnly({ events }: Pick<RenderedHook, "events">): boolean {
  return !events.some((event) => event.endsWith("-install"));
}

/** Returns the keys of the objects in a document. A document that qvs can't read has none. */
function keysOf(
  { template, text }: Rendered["manifests"][number],
  namespace: string,
): readonly string[] {
  const read = readRenderedYaml(template, text);
  const documents = read.ok ? read.value : [];
  return documents.map((document) =>
    keyOf({
      group: groupOf(textOf(document, "apiVersion")),
      kind: textOf(document, "kind"),
      namespace: textOf(document, "metadata", "namespace") || namespace,
      name: textOf(document, "metadata", "name"),
    }),
  );
}
