import { type Compilation, type Resource, stages } from "../../model/compilation.ts";
import { type Json, sameJson, textAt } from "../../model/json.ts";
import { groupOf } from "../../model/object.ts";
import { contentOf, resourceKey } from "./manifests.ts";
import { diffValues, type TextDiff } from "./text-diff.ts";

/** What a pull request changes in one compiled resource. */
export type ManifestDiff = {
  readonly resource: Resource;
  /** Texts of either side that may be shown nowhere. */
  readonly hides: readonly string[];
} & (
  | { readonly type: "added" }
  | { readonly type: "removed" }
  | { readonly type: "changed" | "renamed"; readonly before: Resource }
);

/**
 * Two compilations compared. An object is the same one wherever it is declared; one that got another name under the same
 * resource id (a hash suffix) is "renamed": in the cluster a new object beside the old one, to a reader one change.
 * Sorted by stage and resource id. `base` is undefined for a new deployment.
 */
export function diffCompilations(
  base: Compilation | undefined,
  head: Compilation,
): readonly ManifestDiff[] {
  const hides = [...(base?.hides ?? []), ...(head.hides ?? [])];
  const old = new Map((base?.resources ?? []).map((resource) => [identityOf(resource), resource]));
  const pairs = head.resources.map((resource) => ({
    resource,
    before: take(old, identityOf(resource)),
  }));
  const byResource = new Map([...old.values()].map((resource) => [slotOf(resource), resource]));
  const diffs = pairs.flatMap(({ resource, before }) =>
    before
      ? compare(before, resource, hides)
      : addOrRename(take(byResource, slotOf(resource)), resource, hides),
  );
  const removed = [...byResource.values()].map(
    (resource): ManifestDiff => ({ type: "removed", resource, hides }),
  );
  return [...diffs, ...removed].toSorted((a, b) => byText(placeOf(a), placeOf(b)));
}

/** Its lines. Only for what is shown: writing both sides takes far longer than finding out that they differ. */
export function textOf(diff: ManifestDiff): TextDiff | undefined {
  const { resource, hides } = diff;
  switch (diff.type) {
    case "added":
      return diffResources(undefined, resource, hides);
    case "removed":
      return diffResources(resource, undefined, hides);
    case "changed":
    case "renamed":
      return diffResources(diff.before, resource, hides);
  }
}

/** The kind and name of a manifest, or provider and id of anything else: how people call a resource. */
export function titleOf(resource: Resource): string {
  if (resource.type === "foreign") return `${resource.provider} ${resource.id}`;
  const [namespace, name] = [
    textAt(resource.object, "metadata", "namespace"),
    textAt(resource.object, "metadata", "name") ?? resource.id,
  ];
  return `${kindOf(resource.object)} ${namespace === undefined ? name : `${namespace}/${name}`}`;
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
  return diffValues(before && contentOf(before), after && contentOf(after), { hides, foreign });
}

/** On the real values: a Secret whose value changes does change, although its redacted diff could be empty. */
function same(a: Resource, b: Resource): boolean {
  return sameJson(contentOf(a), contentOf(b));
}

function identityOf(resource: Resource): string {
  if (resource.type === "foreign") return `${resource.provider} ${resourceKey(resource)}`;
  const group = groupOf(textAt(resource.object, "apiVersion") ?? "");
  const name = textAt(resource.object, "metadata", "name");
  return `${group} ${name === undefined ? resourceKey(resource) : titleOf(resource)}`;
}

/** The same resource id holding the same kind. */
function slotOf(resource: Resource): string {
  return `${resourceKey(resource)} ${resource.type === "manifest" ? kindOf(resource.object) : resource.provider}`;
}

function kindOf(object: Json): string {
  return textAt(object, "kind") ?? "object";
}

/** Stages in deploy order, which is not that of the alphabet. */
function placeOf({ resource }: ManifestDiff): string {
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
