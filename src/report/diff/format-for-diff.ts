import { containsSecret } from "../../model/apply-time-reference.ts";
import { itemKeyFields, keyText } from "../../model/fields/field-differences.ts";
import { type IsUnordered, unorderedLists } from "../../model/fields/list-order.ts";
import { fieldOf, isList, isObject, type Json } from "../../model/json.ts";
import type { RedactedPair } from "../../redaction/redact-secrets.ts";
import { formatDocuments } from "./format-documents.ts";

/**
 * Lays out both sides of a comparison for a reader.
 * Documents within strings are split into lines, with the fields in the same order. In unordered
 * lists, moved items keep their old place.
 */
export function formatForDiff(
  { before, after }: RedactedPair,
  hides: readonly string[],
): RedactedPair {
  if (before === undefined || after === undefined) return { before, after };
  const isUnordered = unorderedLists(after, before);
  return formatPair(before, after, "", { hides, isUnordered });
}

interface ValuePair {
  readonly before: Json;
  readonly after: Json;
}

interface FormatContext {
  /** Values that must not be shown. */
  readonly hides: readonly string[];
  readonly isUnordered: IsUnordered;
}

function formatPair(before: Json, after: Json, name: string, known: FormatContext): ValuePair {
  if (isObject(before) && isObject(after)) {
    const sides = Object.keys(after).map((key) => {
      const [a, b] = [fieldOf(before, key), fieldOf(after, key) ?? null];
      return [key, a === undefined ? undefined : formatPair(a, b, key, known)] as const;
    });
    const laidOut = sides.flatMap(([key, both]) =>
      both === undefined ? [] : [[key, both] as const],
    );
    const of = (side: keyof ValuePair) =>
      Object.fromEntries(laidOut.map(([key, both]) => [key, both[side]]));
    return { before: { ...before, ...of("before") }, after: { ...after, ...of("after") } };
  }
  if (isList(before) && isList(after)) return formatItemPairs(before, after, name, known);
  return typeof before === "string" && typeof after === "string"
    ? formatTextPair(before, after, known)
    : { before, after };
}

function formatItemPairs(
  before: readonly Json[],
  after: readonly Json[],
  name: string,
  known: FormatContext,
): ValuePair {
  const keys = itemKeyFields(before, after);
  if (keys === undefined) return { before, after };
  const places = new Map(before.map((item, place) => [keyText(item, keys), place]));
  const itemPosition = (item: Json) => places.get(keyText(item, keys)) ?? before.length;
  const items = known.isUnordered(name)
    ? after.toSorted((a, b) => itemPosition(a) - itemPosition(b))
    : after;
  const now = new Map(items.map((item) => [keyText(item, keys), item]));
  const both = before.map((item) => {
    const same = now.get(keyText(item, keys));
    return same === undefined ? undefined : formatPair(item, same, "", known);
  });
  return {
    before: before.map((item, place) => both[place]?.before ?? item),
    after: items.map((item) => both[itemPosition(item)]?.after ?? item),
  };
}

/** Lays out two strings. It keeps them as written if only their formatting differs. */
function formatTextPair(before: string, after: string, known: FormatContext): ValuePair {
  const asWritten = { before, after };
  if (before === after) return asWritten;
  const both = formatDocuments(before, after);
  if (both === undefined || both.before === both.after) return asWritten;
  const isSafe =
    !containsSecret(known.hides, both.before) && !containsSecret(known.hides, both.after);
  return isSafe ? both : asWritten;
}
