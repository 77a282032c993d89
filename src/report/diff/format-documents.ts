import { Composer, type Document, isScalar, visit } from "yaml";
import {
  type IsUnordered,
  itemKeyFields,
  keyText,
  unorderedLists,
} from "../../model/fields/field-differences.ts";
import { exceedsMaxNesting, fieldOf, isList, isObject, type Json } from "../../model/json.ts";
import { containsSecret } from "../../model/plan/apply-time-reference.ts";
import { yamlTokens } from "../../model/text/yaml.ts";
import type { RedactedPair } from "../../redaction/redact-secrets.ts";
import { toYaml } from "../text/yaml.ts";

type TextPair = { readonly before: string; readonly after: string };

/**
 * Formats two JSON or YAML strings with the fields in the same order.
 * Returns undefined if the new format could mean something else than the original. For example,
 * `1.10` isn't `1.1` to a reader.
 */
function formatDocuments(before: string, after: string): TextPair | undefined {
  return formatJsonPair(before, after) ?? formatYamlPair(before, after);
}

function formatJsonPair(before: string, after: string): TextPair | undefined {
  const [a, b] = [parseJson(before), parseJson(after)];
  if (a === undefined || b === undefined) return undefined;
  const write = (value: Json) => `${JSON.stringify(sorted(value), null, 2)}\n`;
  return { before: write(a), after: write(b) };
}

/**
 * Formats two YAML strings.
 * It skips strings with comments, because formatting would drop the comments and their changes.
 */
function formatYamlPair(before: string, after: string): TextPair | undefined {
  if ([before, after].some((text) => text.includes("#") || !text.trimEnd().includes("\n"))) {
    return undefined;
  }
  const [a, b] = [parseYaml(before), parseYaml(after)];
  if (a === undefined || b === undefined) return undefined;
  return { before: toYaml(a), after: toYaml(b) };
}

function parseJson(text: string): Json | undefined {
  if (!isLikeJson(text) || exceedsMaxNesting(text)) return undefined;
  try {
    const value: Json = JSON.parse(text);
    return withoutSpaces(text) === JSON.stringify(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLikeJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** Removes the white space between the values of a JSON string, but not within string values. */
function withoutSpaces(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1");
}

/** Parses a plain YAML map or list, without anchors, tags or further documents. */
function parseYaml(text: string): Json | undefined {
  if (text.length > longestYaml || isLikeJson(text)) return undefined;
  if (/[&*!]|^---/m.test(text)) return undefined;
  const read = yamlTokens(text);
  if ("tooDeepAt" in read) return undefined;
  // The composer's check for duplicate keys takes quadratic time.
  const composer = new Composer({ strict: true, uniqueKeys: false });
  const [document, ...others] = composer.compose(read.tokens, true, text.length);
  if (document === undefined || others.length > 0) return undefined;
  if (document.errors.length + document.warnings.length > 0) return undefined;
  const value: Json = document.toJS();
  const isShown = (isObject(value) || isList(value)) && hasPlainKeys(document) && isExact(document);
  return isShown ? value : undefined;
}

/** Reports whether each key is a string or a number, and no map has a key twice. */
function hasPlainKeys(document: Document): boolean {
  let arePlain = true;
  visit(document, {
    Map: (_, { items }) => {
      const keys = items.map(({ key }) => (isScalar(key) ? String(key.value) : undefined));
      if (!keys.includes(undefined) && new Set(keys).size === keys.length) return undefined;
      arePlain = false;
      return visit.BREAK;
    },
  });
  return arePlain;
}

/**
 * Reports whether each value and key would be written unchanged, or with the same meaning to all
 * readers.
 * A quoted or block scalar is always a string. A plain scalar can be a number or a boolean in YAML
 * 1.1 or in YAML 1.2.
 */
function isExact(document: Document): boolean {
  const plain: { readonly source: string; readonly value: Json }[] = [];
  visit(document, {
    Scalar: (place, { type, source = "", value }) => {
      if (type !== "PLAIN" || (value === null && place !== "key")) return;
      plain.push({ source, value: place === "key" ? String(value) : (value as Json) });
    },
  });
  const asWritten = plain.map(({ source }) => `- ${source}\n`).join("");
  return plain.length === 0 || toYaml(plain.map(({ value }) => value)) === asWritten;
}

const longestYaml = 50_000;

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(fieldOf(value, name) ?? null)]));
}

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
