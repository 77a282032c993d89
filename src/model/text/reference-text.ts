import { isList, isObject, type Json } from "../json.ts";

/** What a text consists of: references, and what stands between them. */
export type Piece = TextPiece | ReferencePiece;

interface TextPiece {
  readonly type: "text";
  readonly text: string;
}

interface ReferencePiece {
  readonly type: "reference";
  /** Id and path: `web.status.ip`, or `web` alone. */
  readonly inner: string;
  /** With its brackets: `$(ref.web.status.ip)`. */
  readonly written: string;
}

/**
 * The references in a text (docs/reference/adapters.md#references): `$(ref.ID.PATH)` and, by the rules of Pulumi YAML,
 * `${id.path}`. There `$$` is a dollar, and a `}` within a quoted key does not end the reference. Where Pulumi is not meant, all
 * of that is text, and `$$(ref.…)` is the text `$(ref.…)`.
 */
export function referencePieces(text: string, pulumi: boolean): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(pulumi ? pulumiPattern : refPattern)) {
    const [written, ref, interpolated] = match;
    if (match.index > end) pieces.push({ type: "text", text: text.slice(end, match.index) });
    const inner = ref ?? interpolated;
    // Without what is referred to it is an escape: the dollar, and what was matched behind it.
    if (inner === undefined) pieces.push({ type: "text", text: written.slice(1) });
    else pieces.push({ type: "reference", inner, written });
    end = match.index + written.length;
  }
  if (end < text.length) pieces.push({ type: "text", text: text.slice(end) });
  return pieces;
}

const refPattern = /\$\$\(ref\.[^()]+\)|\$\(ref\.([^()]+)\)/g;
/** Without a `{` in it, or texts full of unfinished references would take quadratic time. */
const pulumiPattern = /\$\(ref\.([^()]+)\)|\$\$|\$\{((?:[^{}["]|\["(?:\\"|[^"])*"\]|\[)+)\}/g;

/** A value as a reader of references must find it, so that no text in it is taken for one. */
export function escapeReferences<T extends Json>(value: T): T {
  if (typeof value === "string") return escapeText(value) as T;
  if (isList(value)) return value.map(escapeReferences) as Json as T;
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, escapeReferences(inner)]);
  return Object.fromEntries(fields) as T;
}

function escapeText(text: string): string {
  return text.replaceAll(/\$\(ref\.[^()]+\)/g, (written) => `$${written}`);
}

export interface ResolvedReference {
  /** The resource id, with its groups. */
  readonly id: string;
  /** What follows the id: `.status.ip`, or nothing. */
  readonly path: string;
}

/**
 * The resource that a reference in the resource `from` means. Within a group the ids of that group come first, then
 * those around it. Ids may hold dots themselves, so the longest one that fits is meant.
 */
export function resolveReference(
  inner: string,
  from: string,
  ids: Iterable<string>,
): ResolvedReference | undefined {
  const [, quoted, behind = ""] = /^\["((?:\\"|[^"])*)"\](.*)$/s.exec(inner) ?? [];
  const fits = (name: string) =>
    quoted === undefined
      ? inner.startsWith(name) && /^(?:[.[]|$)/.test(inner.slice(name.length))
      : quoted === name;
  const known = [...ids];
  for (const scope of scopesAround(from)) {
    const members = known.filter((id) => id.startsWith(scope) && fits(id.slice(scope.length)));
    const id = members.toSorted((a, b) => b.length - a.length)[0];
    if (id === undefined) continue;
    return { id, path: quoted === undefined ? inner.slice(id.length - scope.length) : behind };
  }
  return undefined;
}

/** `a/b/it` → `a/b/`, `a/` and, for what is in no group, nothing. */
function scopesAround(id: string): readonly string[] {
  const groups = id.split("/").slice(0, -1);
  return [...groups, ""].map((_, depth) =>
    groups
      .slice(0, groups.length - depth)
      .map((group) => `${group}/`)
      .join(""),
  );
}

/** The id that a reference would have, were it known: what is before the path. */
export function rootOf(inner: string): string {
  return /^\["((?:\\"|[^"])*)"\]/.exec(inner)?.[1] ?? inner.split(/[.[]/)[0] ?? inner;
}

/** Where a tag or branch leads now, after it was locked elsewhere; undefined when there is none of that name. */
export type Moved =
  | { readonly what: "tag" | "branch"; readonly to: string }
  | { readonly what: "missing"; readonly to: undefined };
