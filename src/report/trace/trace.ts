import type { Compilation, LayoutNode } from "../../model/compilation.ts";
import { fieldOf, type Json } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import { holdsSecret } from "../../redaction/secrets-within.ts";
import { type BehindDifference, behindDifference } from "./behind-difference.ts";
import { type ByResource, byResource, resourcesOf } from "./by-resource.ts";
import { nodesTo } from "./chain.ts";

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
  /** The adapter that is given the argument, and where the config uses it. */
  readonly pattern: string;
  readonly line: number;
}

/**
 * The trace of a resource, which is `stage/id`: undefined when no adapter of the layout names it. Without a trace of both
 * compilations, all arguments that differ count, since any of them may have reached the resource.
 */
export function tracesOf(
  head: Compilation,
  base: Compilation | undefined,
): (resource: string) => Trace | undefined {
  const [after, before] = [byResource(head), base && byResource(base)];
  return (resource) => traceOf(resource, after, before);
}

function traceOf(
  resource: string,
  head: ByResource,
  base: ByResource | undefined,
): Trace | undefined {
  const isTraced = [head, base].every((each) => each === undefined || isTracedIn(each));
  const behind = isTraced ? behindDifference(resource, head, base) : undefined;
  const { layout } = head.compilation;
  const chain =
    behind?.writer === undefined ? chainTo(resource, layout) : nodesTo(layout, behind.writer);
  const user = chain[0];
  if (user === undefined) return undefined;
  const changed = base === undefined ? [] : changedArguments(user, head, base, behind);
  const isExplained = base === undefined || !base.resources.has(resource) || changed.length > 0;
  return {
    patterns: chain.map((node) => node.pattern),
    line: lineOf(user),
    changed,
    written: isExplained ? [] : (behind?.at ?? []),
  };
}

function lineOf({ use, line }: LayoutNode): number {
  return use?.line ?? line;
}

function isTracedIn({ compilation }: ByResource): boolean {
  return compilation.trace !== undefined;
}

/** Of every adapter that the fields in question were made by, `user` first. */
function changedArguments(
  user: LayoutNode,
  head: ByResource,
  base: ByResource,
  behind: BehindDifference | undefined,
): readonly ChangedParam[] {
  const users = head.compilation.layout.composites.flatMap((node, place) =>
    node === user || behind?.inHead.has(place) === true ? [{ node, place }] : [],
  );
  const ordered = users.toSorted((a, b) => Number(b.node === user) - Number(a.node === user));
  return ordered.flatMap(({ node, place }) => {
    const placeBefore = matching(node, base);
    const before = base.compilation.layout.composites[placeBefore];
    if (before === undefined) return [];
    const maySeeValues = !feedsSecret(before, base) && !feedsSecret(node, head);
    return changedParams(before, node, maySeeValues).filter(
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

/**
 * The place of the same use of an adapter in the other commit, whatever line it moved to: by pattern and group and, where several
 * have the same, by a resource. -1 when none is known to be the same.
 */
function matching(node: LayoutNode, { compilation, users }: ByResource): number {
  const others = compilation.layout.composites;
  const isAlike = (place: number) =>
    others[place]?.pattern === node.pattern && others[place].group === node.group;
  for (const resource of resourcesOf(node)) {
    const same = users.get(resource)?.find(isAlike);
    if (same !== undefined) return same;
  }
  const alike = [...others.keys()].filter(isAlike);
  return alike.length === 1 ? (alike[0] ?? -1) : -1;
}

function changedParams(
  nodeBefore: LayoutNode,
  nodeAfter: LayoutNode,
  maySeeValues: boolean,
): readonly ChangedParam[] {
  const [before, after] = [nodeBefore.params, nodeAfter.params];
  const hidden = new Set([...(nodeBefore.hidden ?? []), ...(nodeAfter.hidden ?? [])]);
  const isHidden = (name: string) =>
    hidden.has(name) ||
    [fieldOf(before, name), fieldOf(after, name)].some((value) => holdsSecret(name, value));
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter(
      (name) => JSON.stringify(fieldOf(before, name)) !== JSON.stringify(fieldOf(after, name)),
    )
    .map((name) => {
      const given = { name, pattern: nodeAfter.pattern, line: lineOf(nodeAfter) };
      return maySeeValues && !isHidden(name)
        ? { ...given, before: fieldOf(before, name), after: fieldOf(after, name) }
        : { ...given, before: undefined, after: undefined };
    });
}

/** An argument may have become a Secret's value, so where an adapter writes one, arguments are only named. */
function feedsSecret(node: LayoutNode, { secrets }: ByResource): boolean {
  return resourcesOf(node).some((resource) => secrets.has(resource));
}
