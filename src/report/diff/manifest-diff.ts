import { isObject, type Json, sameJson, textAt } from "../../model/json.ts";
import { groupOf } from "../../model/object.ts";
import { changedReferencedManifests } from "../../model/plan/changed-referenced-manifests.ts";
import {
  type Compilation,
  type Resource,
  resourceKey,
  stages,
} from "../../model/sources/compilation.ts";
import { resourceContent } from "./render-manifests.ts";
import { diffValues, type TextDiff } from "./text-diff.ts";

/** The change of one compiled resource in a pull request. */
export type ManifestDiff = {
  readonly resource: Resource;
  /** Values of both sides that must not be shown. */
  readonly hides: readonly string[];
} & (
  | { readonly type: "added" }
  | { readonly type: "removed" }
  | { readonly type: "changed" | "renamed"; readonly before: Resource }
);

/**
 * Compares two compilations. Returns the changes by stage and resource ID.
 * An object is the same one even if another resource declares it. An object with a new name under
 * the same resource ID (a hash suffix) is "renamed". The cluster then has both objects for a while,
 * but a reader sees one change. `base` is undefined for a new deployment.
 */
export function diffCompilations(
  base: Compilation | undefined,
  head: Compilation,
): readonly ManifestDiff[] {
  const hides = [...(base?.hides ?? []), ...(head.hides ?? [])];
  const old = new Map(
    (base?.resources ?? []).map((resource) => [resourceIdentity(resource), resource]),
  );
  const pairs = head.resources.map((resource) => ({
    resource,
    before: take(old, resourceIdentity(resource)),
  }));
  const byResource = new Map(
    [...old.values()].map((resource) => [resourceSlot(resource), resource]),
  );
  const diffs = pairs.flatMap(({ resource, before }) =>
    before
      ? compare(before, resource, hides)
      : addOrRename(take(byResource, resourceSlot(resource)), resource, hides),
  );
  const removed = [...byResource.values()].map(
    (resource): ManifestDiff => ({ type: "removed", resource, hides }),
  );
  return [...diffs, ...removed].toSorted((a, b) => byText(sortKey(a), sortKey(b)));
}

/** Returns the diff of a change. It is slow, so callers use it only for changes that are shown. */
export function manifestTextDiff(diff: ManifestDiff): TextDiff | undefined {
  const { resource, hides } = diff;
  switch (diff.type) {
    case "added":
      return diffResources(undefined, resource, hides);
    case "removed":
      return diffResources(resource, undefined, hides);
    case "changed":
      return diffResources(diff.before, resource, hides);
    case "renamed":
      return diffResources(diff.before, withOldName(resource, diff.before), hides);
  }
}

/** Gives a renamed manifest its old name: the title of the change shows both names. */
function withOldName(resource: Resource, before: Resource): Resource {
  if (resource.type !== "manifest" || before.type !== "manifest") return resource;
  const { metadata } = resource.object;
  const name = textAt(before.object, "metadata", "name");
  if (!isObject(metadata) || name === undefined) return resource;
  return { ...resource, object: { ...resource.object, metadata: { ...metadata, name } } };
}

/**
 * Returns the display name of a resource: kind and name of a manifest, otherwise provider and ID.
 */
export function resourceTitle(resource: Resource): string {
  if (resource.type === "foreign") return `${resource.provider} ${resource.id}`;
  const [namespace, name] = [
    textAt(resource.object, "metadata", "namespace"),
    textAt(resource.object, "metadata", "name") ?? resource.id,
  ];
  return `${manifestKind(resource.object)} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

type Hides = readonly string[];

function compare(before: Resource, resource: Resource, hides: Hides): readonly ManifestDiff[] {
  if (same(before, resource)) return [];
  return [{ type: "changed", resource, before, hides }];
}

function addOrRename(
  before: Resource | undefined,
  resource: Resource,
  hides: Hides,
): readonly ManifestDiff[] {
  return before === undefined
    ? [{ type: "added", resource, hides }]
    : [{ type: "renamed", resource, before, hides }];
}

function diffResources(before: Resource | undefined, after: Resource | undefined, hides: Hides) {
  const foreign = [before, after].some((resource) => resource?.type === "foreign");
  return diffValues(before && resourceContent(before), after && resourceContent(after), {
    hides,
    foreign,
  });
}

/** Compares the real values. A changed Secret is a change even if its redacted diff is empty. */
function same(a: Resource, b: Resource): boolean {
  return sameJson(resourceContent(a), resourceContent(b));
}

function resourceIdentity(resource: Resource): string {
  if (resource.type === "foreign") return `${resource.provider} ${resourceKey(resource)}`;
  const group = groupOf(textAt(resource.object, "apiVersion") ?? "");
  const name = textAt(resource.object, "metadata", "name");
  return `${group} ${name === undefined ? resourceKey(resource) : resourceTitle(resource)}`;
}

/** Returns a key that is equal for resources with the same resource ID and kind. */
function resourceSlot(resource: Resource): string {
  return `${resourceKey(resource)} ${resource.type === "manifest" ? manifestKind(resource.object) : resource.provider}`;
}

function manifestKind(object: Json): string {
  return textAt(object, "kind") ?? "object";
}

/** Returns a sort key that has the stages in deploy order, which isn't alphabetical. */
function sortKey({ resource }: ManifestDiff): string {
  return `${stages.indexOf(resource.stage)}/${resource.id}`;
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function take<T>(from: Map<string, T>, key: string): T | undefined {
  const found = from.get(key);
  from.delete(key);
  return found;
}

/**
 * Returns the sorted titles of the changed resources that another resource references.
 * It returns only resources whose changed fields reach `resource`, whose own manifest is unchanged.
 * `resource` is `stage/id`.
 */
export function changedReferences(
  resource: string,
  head: Compilation,
  base: Compilation,
): readonly string[] {
  const start = head.resources.find((each) => resourceKey(each) === resource);
  if (start?.type !== "manifest") return [];
  const changed = changedReferencedManifests(start, start.object, { head, base });
  return [...new Set(changed.map(resourceTitle))].toSorted();
}
