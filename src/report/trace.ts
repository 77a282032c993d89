import type { Compilation, LayoutNode, Resource } from "../model/compilation.ts";
import { type Json, type JsonObject, textAt } from "../model/json.ts";
import { nodesTo } from "../model/layout.ts";
import { holdsSecret, looksSecret } from "../model/looks-secret.ts";
import type { Position } from "../model/problem.ts";
import { type BehindDifference, behindDifference } from "./behind-difference.ts";
import { resourceKey } from "./manifests.ts";

/** Why an object is what it is: the adapters that wrote it, and the arguments that differ between two commits. */
export interface Trace {
  /** Import paths of the adapters, outermost first. */
  readonly patterns: readonly string[];
  /** Where the QVS config uses the outermost one. */
  readonly line: number;
  /** Arguments that the QVS config gives differently, as far as the fields that differ were made from them. */
  readonly changed: readonly ChangedParam[];
  /** Where the fields that differ are written, when no argument explains them: then the adapter itself has changed. */
  readonly written: readonly Position[];
}

export interface ChangedParam {
  readonly name: string;
  /** undefined on one side when it was added or removed, on both when the values may not be shown. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * `resource` is `stage/id`. undefined when no adapter of the layout names it. Without a trace of both compilations, all
 * arguments that differ count, since any of them may have reached the resource.
 */
export function traceOf(
  resource: string,
  head: Compilation,
  base: Compilation | undefined,
): Trace | undefined {
  const behind = head.trace === undefined ? undefined : behindDifference(resource, head, base);
  const chain =
    behind?.writer === undefined
      ? chainTo(resource, head.layout)
      : nodesTo(head.layout, behind.writer);
  const user = chain[0];
  if (user === undefined) return undefined;
  const changed = base === undefined ? [] : changedArguments(user, head, base, behind);
  const isExplained = base === undefined || !declares(base, resource) || changed.length > 0;
  return {
    patterns: chain.map((node) => node.pattern),
    line: user.use?.line ?? user.line,
    changed,
    written: isExplained ? [] : (behind?.at ?? []),
  };
}

function declares({ resources }: Compilation, resource: string): boolean {
  return resources.some((each) => resourceKey(each) === resource);
}

/** Of every adapter that the fields in question were made by, `user` first. */
function changedArguments(
  user: LayoutNode,
  head: Compilation,
  base: Compilation,
  behind: BehindDifference | undefined,
): readonly ChangedParam[] {
  const users = head.layout.composites.flatMap((node, place) =>
    node === user || behind?.inHead.has(place) === true ? [{ node, place }] : [],
  );
  const ordered = users.toSorted((a, b) => Number(b.node === user) - Number(a.node === user));
  return ordered.flatMap(({ node, place }) => {
    const before = matching(node, base.layout.composites);
    if (before === undefined) return [];
    const placeBefore = base.layout.composites.indexOf(before);
    const maySeeValues = !feedsSecret(before, base) && !feedsSecret(node, head);
    return changedParams(before.params, node.params, maySeeValues).filter(
      ({ name }) =>
        behind === undefined ||
        behind.inHead.get(place)?.has(name) === true ||
        behind.inBase.get(placeBefore)?.has(name) === true,
    );
  });
}

/** `acme.example/adapters/kubernetes/deployment:simple` → `kubernetes/deployment:simple`. */
export function shortPattern(pattern: string): string {
  return pattern.split("/").slice(-2).join("/");
}

/** From the config's own adapter down to the one that wrote the resource; the root of the layout is the config itself. */
function chainTo(resource: string, root: LayoutNode): readonly LayoutNode[] {
  for (const child of root.composites) {
    const deeper = chainTo(resource, child);
    if (deeper.length > 0) return [child, ...deeper];
    if (child.resources.includes(resource)) return [child];
  }
  return [];
}

/** The same use of an adapter in the other commit: by pattern and group, whatever line it moved to. */
function matching(node: LayoutNode, others: readonly LayoutNode[]): LayoutNode | undefined {
  return others.find((other) => other.pattern === node.pattern && other.group === node.group);
}

function changedParams(
  before: JsonObject,
  after: JsonObject,
  maySeeValues: boolean,
): readonly ChangedParam[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) =>
      maySeeValues && !holdsSecret(name, before[name]) && !holdsSecret(name, after[name])
        ? { name, before: before[name], after: after[name] }
        : { name, before: undefined, after: undefined },
    );
}

/** An argument may have become a Secret's value, so where an adapter writes one, arguments are only named. */
function feedsSecret(node: LayoutNode, compilation: Compilation): boolean {
  const secrets = compilation.resources.filter(isSecret).map(resourceKey);
  const writes = (each: LayoutNode): boolean =>
    each.resources.some((resource) => secrets.includes(resource)) || each.composites.some(writes);
  return writes(node);
}

/** Also what other providers call so, by their type. */
function isSecret(resource: Resource): boolean {
  return resource.type === "manifest"
    ? resource.object.kind === "Secret"
    : looksSecret(textAt(resource.content, "type") ?? "");
}
