import { isList, isObject, type Json } from "../json.ts";

/** A part of a string: a reference, or the text between references. */
type StringPiece = TextPiece | ReferencePiece;

interface TextPiece {
  readonly type: "text";
  readonly text: string;
}

interface ReferencePiece {
  readonly type: "reference";
  /** The id and path: `web.status.ip`, or only `web`. */
  readonly inner: string;
  /** The reference with its brackets: `$(ref.web.status.ip)`. */
  readonly written: string;
}

/**
 * Splits a string at its references (docs/reference/adapters.md#references).
 * A reference is `$(ref.ID.PATH)` and, by the rules of Pulumi YAML, `${id.path}`. In Pulumi YAML,
 * `$$` is a dollar sign, and a `}` within a quoted key doesn't end the reference.
 * Without `pulumi`, `${id.path}` and `$$` are plain text, and `$$(ref.…)` is the text `$(ref.…)`.
 */
export function referencePieces(text: string, pulumi: boolean): readonly StringPiece[] {
  const pieces: StringPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(pulumi ? pulumiPattern : refPattern)) {
    const [written, ref, interpolated] = match;
    if (match.index > end) pieces.push({ type: "text", text: text.slice(end, match.index) });
    const inner = ref ?? interpolated;
    // A match without a reference is an escape. The text is the match without its first dollar
    // sign.
    if (inner === undefined) pieces.push({ type: "text", text: written.slice(1) });
    else pieces.push({ type: "reference", inner, written });
    end = match.index + written.length;
  }
  if (end < text.length) pieces.push({ type: "text", text: text.slice(end) });
  return pieces;
}

const refPattern = /\$\$\(ref\.[^()]+\)|\$\(ref\.([^()]+)\)/g;
/**
 * Excludes `{` within a reference, because a string with many unfinished references would take
 * quadratic time.
 */
const pulumiPattern = /\$\(ref\.([^()]+)\)|\$\$|\$\{((?:[^{}["]|\["(?:\\"|[^"])*"\]|\[)+)\}/g;

/** Escapes a value so that a reader of references finds none in its strings. */
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

interface ResolvedReference {
  /** The resource id, with its groups. */
  readonly id: string;
  /** The text after the id: `.status.ip`, or an empty string. */
  readonly path: string;
}

/**
 * Returns the resource that a reference in the resource `from` means.
 * Ids of the same group take precedence over ids of the enclosing groups. Ids can contain dots, so
 * the longest matching id is used.
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

/** Returns the scopes around an id: `a/b/it` → `a/b/`, `a/` and the empty string. */
function scopesAround(id: string): readonly string[] {
  const groups = id.split("/").slice(0, -1);
  return [...groups, ""].map((_, depth) =>
    groups
      .slice(0, groups.length - depth)
      .map((group) => `${group}/`)
      .join(""),
  );
}

/** Returns the id of a reference to an unknown resource: the text before the path. */
export function referenceRoot(inner: string): string {
  return /^\["((?:\\"|[^"])*)"\]/.exec(inner)?.[1] ?? inner.split(/[.[]/)[0] ?? inner;
}

/**
 * The current target of a tag or branch that was locked to another commit; undefined if none of
 * that name exists.
 */
export type MovedRevision =
  | { readonly what: "tag" | "branch"; readonly to: string }
  | { readonly what: "missing"; readonly to: undefined };

/**
 * Returns the Pulumi function that an object calls, such as `fn::invoke`; undefined if it calls
 * none.
 */
export function pulumiFunction(value: Json): string | undefined {
  if (!isObject(value)) return undefined;
  return Object.keys(value).find((name) => name.startsWith("fn::"));
}

/** Returns the Pulumi functions within a value, sorted. */
export function listPulumiFunctions(value: Json): readonly string[] {
  const found = new Set<string>();
  const open: Json[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const name = pulumiFunction(next);
    if (name !== undefined) found.add(name);
    if (isList(next) || isObject(next)) open.push(...Object.values(next));
  }
  return [...found].toSorted();
}
