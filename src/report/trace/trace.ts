import type { FieldStep } from "../../model/fields/field-differences.ts";
import { pathWithIndexes } from "../../model/fields/resolve-path.ts";
import { fieldOf, type Json } from "../../model/json.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { Compilation, LayoutNode } from "../../model/sources/compilation.ts";
import { isSensitiveValue } from "../../redaction/sensitive-values.ts";
import { pathNodes } from "./parameter-chain.ts";
import {
  type DifferenceOrigin,
  indexResources,
  nodeResources,
  type ResourceIndex,
  traceDifference,
} from "./trace-difference.ts";

/** The origin of an object: its adapters, and the arguments that differ between two commits. */
export interface Trace {
  /** The import paths of the adapters, outermost first. */
  readonly patterns: readonly string[];
  /** The line of the config that uses the outermost adapter. */
  readonly line: number;
  /** The changed arguments in the config that the differing fields derive from. */
  readonly changed: readonly ChangedParam[];
  /**
   * The places of the changed fields in adapters if no argument explains them. The adapter itself
   * has then changed.
   */
  readonly written: readonly Position[];
  /**
   * The places of the patches and the other parts of kustomizations that wrote fields of the
   * object, one for each file.
   */
  readonly patched?: readonly Position[];
  /**
   * The lines of files that declare the fields that differ from the live object. Only without a
   * base commit, which would show the changed lines.
   */
  readonly declared?: readonly Position[];
}

export interface ChangedParam {
  readonly name: string;
  /**
   * The old value. Undefined if the argument was added. Both values are undefined if they must not
   * be shown.
   */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** The adapter that receives the argument, and the line of the config that uses it. */
  readonly pattern: string;
  readonly line: number;
}

/**
 * Returns the trace of a resource, `stage/id`, of which fields differ from the live object.
 * Undefined if no adapter declares it.
 */
export type FindTrace = (
  resource: string,
  differing?: readonly (readonly FieldStep[])[],
) => Trace | undefined;

/**
 * Returns a function for the trace of a resource. If one compilation has no trace, all changed
 * arguments count, because each can affect the resource.
 */
export function createTracer(head: Compilation, base: Compilation | undefined): FindTrace {
  const [after, before] = [indexResources(head), base && indexResources(base)];
  return (resource, differing = []) => {
    const trace = traceResource(resource, after, before);
    if (trace === undefined || base !== undefined) return trace;
    const declared = declaringPlaces(resource, after, differing);
    return declared.length === 0 ? trace : { ...trace, declared };
  };
}

/**
 * Returns the lines of these fields, or of the fields in them, each once. The line of the object
 * itself is left out, because the trace already has it.
 */
function declaringPlaces(
  resource: string,
  { resources, fields }: ResourceIndex,
  differing: readonly (readonly FieldStep[])[],
): readonly Position[] {
  const found = resources.get(resource);
  if (found?.type !== "manifest") return [];
  const places = differing.flatMap((steps) => {
    const path = pathWithIndexes(found.object, steps);
    if (path === undefined) return [];
    const within = (fields.get(resource) ?? []).filter((field) =>
      path.every((step, index) => field.path[index] === step),
    );
    return within.flatMap(({ origins }) => origins.flatMap(({ at }) => at));
  });
  const byLine = new Map(places.map((place) => [`${place.file}:${place.line}`, place]));
  byLine.delete(`${found.where?.file}:${found.where?.line}`);
  return [...byLine.values()].toSorted(
    (a, b) => Number(a.file > b.file) - Number(a.file < b.file) || a.line - b.line,
  );
}

function traceResource(
  resource: string,
  head: ResourceIndex,
  base: ResourceIndex | undefined,
): Trace | undefined {
  // Without a base, only fields of files have a trace, so it doesn't show which adapter wrote most.
  const isTraced = [head, base].every((each) => each !== undefined && hasTrace(each));
  const behind = isTraced ? traceDifference(resource, head, base) : undefined;
  const { layout } = head.compilation;
  const chain =
    behind?.writer === undefined
      ? findWriterPath(resource, layout)
      : pathNodes(layout, behind.writer);
  const user = chain[0];
  if (user === undefined) return undefined;
  const object = namesFiles(user.pattern) ? objectNode(user, resource) : undefined;
  const changed = base === undefined ? [] : changedArguments(user, head, base, behind);
  const isExplained = base === undefined || !base.resources.has(resource) || changed.length > 0;
  const isKustomized = object !== undefined && user.pattern.startsWith("kustomize: ");
  const patched = isKustomized ? patchPlaces(resource, head, user, object) : [];
  return {
    patterns: [...new Set([...chain, ...(object ? [object] : [])])].map((node) => node.pattern),
    line: usageLine(user),
    changed,
    written: isExplained ? [] : (behind?.places ?? []),
    ...(patched.length === 0 ? {} : { patched }),
  };
}

/** Returns the first place in each other file that wrote fields of an object. */
function patchPlaces(
  resource: string,
  { fields, compilation }: ResourceIndex,
  user: LayoutNode,
  object: LayoutNode,
): readonly Position[] {
  const entry = String(compilation.layout.composites.indexOf(user));
  const origins = (fields.get(resource) ?? []).flatMap((field) => field.origins);
  const places = origins.filter(({ node }) => node.join() === entry).flatMap(({ at }) => at);
  const byFile = Map.groupBy(places, ({ file }) => file);
  return [...byFile.values()].flatMap((inFile) => {
    const [first] = inFile.toSorted((a, b) => a.line - b.line);
    return first === undefined || first.file === object.file ? [] : [first];
  });
}

/** Returns the node of an object in an entry with files, which has the place of the object. */
function objectNode({ composites }: LayoutNode, resource: string): LayoutNode | undefined {
  return composites.find(({ resources }) => resources.includes(resource));
}

function usageLine({ use, line }: LayoutNode): number {
  return use?.line ?? line;
}

function hasTrace({ compilation }: ResourceIndex): boolean {
  return compilation.trace !== undefined;
}

/** Returns the changed arguments of all adapters behind the fields, `user` first. */
function changedArguments(
  user: LayoutNode,
  head: ResourceIndex,
  base: ResourceIndex,
  behind: DifferenceOrigin | undefined,
): readonly ChangedParam[] {
  const users = head.compilation.layout.composites.flatMap((node, place) =>
    node === user || behind?.inHead.has(place) === true ? [{ node, place }] : [],
  );
  const ordered = users.toSorted((a, b) => Number(b.node === user) - Number(a.node === user));
  return ordered.flatMap(({ node, place }) => {
    const basePlace = findSameUse(node, base);
    const before = base.compilation.layout.composites[basePlace];
    if (before === undefined) return [];
    const maySeeValues = !writesSecret(before, base) && !writesSecret(node, head);
    return changedParams(before, node, maySeeValues).filter(
      ({ name }) =>
        behind === undefined ||
        behind.inHead.get(place)?.has(name) === true ||
        behind.inBase.get(basePlace)?.has(name) === true,
    );
  });
}

/**
 * Shortens `acme.example/adapters/kubernetes/deployment:simple` to `kubernetes/deployment:simple`.
 * An entry with manifests keeps its path.
 */
export function shortPattern(pattern: string): string {
  return namesFiles(pattern) ? pattern : pattern.split("/").slice(-2).join("/");
}

/** Reports whether the pattern of a node is an entry that names files: `manifests: ../k8s`. */
export function namesFiles(pattern: string): boolean {
  return /^(manifests|kustomize|helm): /.test(pattern);
}

/**
 * Returns the path from the config's own adapter to the one that wrote the resource.
 * The root of the layout is the config itself.
 */
function findWriterPath(resource: string, root: LayoutNode): readonly LayoutNode[] {
  for (const child of root.composites) {
    const deeper = findWriterPath(resource, child);
    if (deeper.length > 0) return [child, ...deeper];
    if (child.resources.includes(resource)) return [child];
  }
  return [];
}

/**
 * Returns the index of the same use of an adapter in the other commit, or -1.
 * It compares pattern and group. If several uses have the same ones, a common resource decides. The
 * line doesn't matter.
 */
function findSameUse(node: LayoutNode, { compilation, users }: ResourceIndex): number {
  const others = compilation.layout.composites;
  const isAlike = (place: number) =>
    others[place]?.pattern === node.pattern && others[place].group === node.group;
  for (const resource of nodeResources(node)) {
    const same = users.get(resource)?.find(isAlike);
    if (same !== undefined) return same;
  }
  const alike = [...others.keys()].filter(isAlike);
  return alike.length === 1 ? (alike[0] ?? -1) : -1;
}

function changedParams(
  oldNode: LayoutNode,
  newNode: LayoutNode,
  maySeeValues: boolean,
): readonly ChangedParam[] {
  const [before, after] = [oldNode.params, newNode.params];
  const hidden = new Set([...(oldNode.hidden ?? []), ...(newNode.hidden ?? [])]);
  const isHidden = (name: string) =>
    hidden.has(name) ||
    [fieldOf(before, name), fieldOf(after, name)].some((value) => isSensitiveValue(name, value));
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names
    .filter(
      (name) => JSON.stringify(fieldOf(before, name)) !== JSON.stringify(fieldOf(after, name)),
    )
    .map((name) => {
      const given = { name, pattern: newNode.pattern, line: usageLine(newNode) };
      return maySeeValues && !isHidden(name)
        ? { ...given, before: fieldOf(before, name), after: fieldOf(after, name) }
        : { ...given, before: undefined, after: undefined };
    });
}

/**
 * Reports whether an adapter writes a Secret. Its arguments are only named, because a Secret can
 * contain their values.
 */
function writesSecret(node: LayoutNode, { secrets }: ResourceIndex): boolean {
  return nodeResources(node).some((resource) => secrets.has(resource));
}
