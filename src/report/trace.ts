import type { Compilation, LayoutNode, Resource } from "../model/compilation.ts";
import { type Json, type JsonObject, textAt } from "../model/json.ts";
import { holdsSecret, looksSecret } from "../model/looks-secret.ts";
import { resourceKey } from "./manifests.ts";
import type { TextDiff } from "./text-diff.ts";

/** Why an object is what it is: the adapters that wrote it, and the arguments that differ between two commits. */
export interface Trace {
  /** Import paths of the adapters, outermost first. */
  readonly patterns: readonly string[];
  /** Where the QVS config uses the outermost one. */
  readonly line: number;
  /** Arguments that the QVS config gives differently; those that a diff shows, where that can be told. */
  readonly changed: readonly ChangedParam[];
}

export interface ChangedParam {
  readonly name: string;
  /** undefined on one side when it was added or removed, on both when the values may not be shown. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** `resource` is `stage/id`. undefined when no adapter of the layout names it. */
export function traceOf(
  resource: string,
  head: Compilation,
  base: Compilation | undefined,
): Trace | undefined {
  const chain = chainTo(resource, head.layout);
  const user = chain[0];
  if (user === undefined) return undefined;
  const before = base === undefined ? undefined : matching(user, base.layout.composites);
  const inBase = before !== undefined && base !== undefined && feedsSecret(before, base);
  const maySeeValues = !inBase && !feedsSecret(user, head);
  return {
    patterns: chain.map((node) => node.pattern),
    line: user.line,
    changed: before === undefined ? [] : changedParams(before.params, user.params, maySeeValues),
  };
}

/**
 * The trace with only the arguments whose values can be seen in the diff: an adapter's arguments rarely all reach one object.
 * When none can be seen, they may have got there in another form, and all stay.
 */
export function explaining(trace: Trace, diff: TextDiff): Trace {
  const edits = diff.lines.filter((line) => /^[-+]/.test(line));
  const seen = trace.changed.filter(({ before, after }) =>
    [before, after].some((value) => value !== undefined && appearsIn(edits, value)),
  );
  return seen.length === 0 ? trace : { ...trace, changed: seen };
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

function appearsIn(lines: readonly string[], value: Json): boolean {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return lines.some((line) => line.includes(text));
}

/** An argument may have become a Secret's value, so where an adapter writes one, arguments are only named. */
function feedsSecret(node: LayoutNode, compilation: Compilation): boolean {
  const secrets = compilation.resources.filter(isSecret).map(resourceKey);
  // Within a group, the layout has the id without it.
  const isAmong = (resource: string) => {
    const [stage = "", ...id] = resource.split("/");
    return secrets.some(
      (key) =>
        key === resource || (key.startsWith(`${stage}/`) && key.endsWith(`/${id.join("/")}`)),
    );
  };
  const writes = (each: LayoutNode): boolean =>
    each.resources.some(isAmong) || each.composites.some(writes);
  return writes(node);
}

/** Also what other providers call so, by their type. */
function isSecret(resource: Resource): boolean {
  return resource.type === "manifest"
    ? resource.object.kind === "Secret"
    : looksSecret(textAt(resource.content, "type") ?? "");
}
