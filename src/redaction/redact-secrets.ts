import { fieldOf, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { toBase64 } from "../model/text/base64.ts";
import { shownNames } from "./hidden-keys.ts";
import { isSensitiveName } from "./sensitive-name.ts";

export interface RedactedPair {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * Redacts a Secret by an allow-list: its identity, and the labels that its manifest declares.
 * For any other field, the result contains only the name and the kind of change, because a
 * misspelled or misplaced field contains the same values. Annotations that no manifest declares are
 * copies by other tools, or the API server's own. They are listed only if they are removed or
 * changed.
 *
 * `declared` is the manifest if one side is the live object; undefined if both sides are manifests.
 */
export function redactSecrets(
  before: Json | undefined,
  after: Json | undefined,
  declared: Json | undefined,
  hides: readonly string[] = [],
): RedactedPair {
  const [old, now] = [mergeStringData(before), mergeStringData(after)];
  if (old === undefined && now === undefined) return maskPair(before, after);
  const pairOne: PairField = (key, a, b) => {
    if (key === "metadata") return redactMetadata(a, b, declaredChild(declared, key), hides);
    if (key === "data")
      return isObject(a ?? b) ? pairFields(a, b, maskEntry, hides) : maskPair(a, b);
    return areAllowed(allowedFields, key, a, b) ? { before: a, after: b } : maskPair(a, b);
  };
  return pairFields(old, now, pairOne, hides);
}

type AllowedFields = ReadonlyMap<string, (value: Json) => boolean>;

const allowedFields: AllowedFields = new Map([
  ["apiVersion", isString],
  ["kind", isString],
  ["type", isString],
  ["immutable", (value) => typeof value === "boolean"],
]);

const allowedMetadata: AllowedFields = new Map([
  ["name", isString],
  ["generateName", isString],
  ["namespace", isString],
]);

function isString(value: Json): boolean {
  return typeof value === "string";
}

function areAllowed(
  of: AllowedFields,
  key: string,
  ...sides: readonly (Json | undefined)[]
): boolean {
  const isHarmless = of.get(key);
  return isHarmless !== undefined && sides.every((side) => side === undefined || isHarmless(side));
}

function redactMetadata(
  before: Json | undefined,
  after: Json | undefined,
  declared: Json | undefined,
  hides: readonly string[],
): RedactedPair {
  if (!isObject(before ?? after)) return maskPair(before, after);
  const pairOne: PairField = (key, a, b) => {
    const names = declaredChild(declared, key);
    if (key === "labels")
      return pairFields(a, b, (name, x, y) => redactLabel(name, x, y, names), hides);
    if (key === "annotations")
      return pairFields(a, b, (name, x, y) => redactAnnotation(name, x, y, names), hides);
    return areAllowed(allowedMetadata, key, a, b) ? { before: a, after: b } : maskPair(a, b);
  };
  return pairFields(before, after, pairOne, hides);
}

function redactLabel(
  name: string,
  before: Json | undefined,
  after: Json | undefined,
  declared: Json | undefined,
): RedactedPair {
  const canShow = isDeclared(name, declared) && !isSensitiveName(name);
  return canShow && [before, after].every((side) => side === undefined || isString(side))
    ? { before, after }
    : maskPair(before, after);
}

/**
 * Redacts an annotation. Annotations of qvs are shown, because they control how qvs handles the
 * object.
 */
function redactAnnotation(
  name: string,
  before: Json | undefined,
  after: Json | undefined,
  declared: Json | undefined,
): RedactedPair {
  if (isDeclared(name, declared)) {
    return name.startsWith("vs.axis-dev.io/") ? { before, after } : maskPair(before, after);
  }
  return isSame(before, after) ? { before: undefined, after: undefined } : maskPair(before, after);
}

function isDeclared(name: string, declared: Json | undefined): boolean {
  return declared === undefined || (isObject(declared) && Object.hasOwn(declared, name));
}

/**
 * Returns the part of the manifest for a field or item; null if the manifest doesn't contain it.
 */
export function declaredChild(declared: Json | undefined, step: string | number) {
  if (declared === undefined) return undefined;
  if (typeof step === "number") return isList(declared) ? (declared[step] ?? null) : null;
  return isObject(declared) ? (fieldOf(declared, step) ?? null) : null;
}

/** Replaces a value on both sides by words. */
export function maskPair(before: Json | undefined, after: Json | undefined): RedactedPair {
  if (before === undefined) return { before, after: after === undefined ? after : "(added)" };
  if (after === undefined) return { before: "(removed)", after };
  return { before: "(hidden)", after: isSame(before, after) ? "(hidden)" : "(changed)" };
}

function maskEntry(_: string, before: Json | undefined, after: Json | undefined): RedactedPair {
  if (before === notCompared && after !== undefined) return { before: "(hidden)", after: before };
  return maskPair(before, after);
}

function isSame(before: Json | undefined, after: Json | undefined): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

/**
 * Merges stringData into data, like the API server. Moving a value from one to the other is
 * therefore no change.
 */
function mergeStringData(secret: Json | undefined): JsonObject | undefined {
  if (!isObject(secret)) return undefined;
  const { data, stringData, ...rest } = secret;
  if (data === undefined && stringData === undefined) return rest;
  const plain = Object.entries(dataEntries(stringData)).map(
    ([key, value]) =>
      [key, toBase64(typeof value === "string" ? value : JSON.stringify(value))] as const,
  );
  return { ...rest, data: { ...dataEntries(data), ...Object.fromEntries(plain) } };
}

/**
 * Returns the entries of data or stringData. The API server rejects a value that isn't an object.
 * Until then, it is hidden like one value without a key.
 */
function dataEntries(data: Json | undefined): JsonObject {
  if (isObject(data)) return data;
  return data === undefined || data === null ? {} : { "": data };
}

type PairField = (key: string, before: Json | undefined, after: Json | undefined) => RedactedPair;

/**
 * Pairs the fields of two objects and applies `pair` to each of them. A side that isn't an object
 * counts as absent. A name that contains one of `hides` becomes `(hidden)`, or `(added)` or
 * `(removed)` if only one side has it.
 */
export function pairFields(
  before: Json | undefined,
  after: Json | undefined,
  pair: PairField,
  hides: readonly string[] = [],
): RedactedPair {
  const [old, now] = [before, after].map((side) => (isObject(side) ? side : undefined));
  const keys = new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]);
  const wordFor = (key: string) => {
    if (old !== undefined && Object.hasOwn(old, key))
      return now !== undefined && Object.hasOwn(now, key) ? "(hidden)" : "(removed)";
    return "(added)";
  };
  const pairs = [...shownNames([...keys].sort(), hides, wordFor)].map(([key, name]) => ({
    key: name,
    ...pair(key, fieldOf(old ?? {}, key), fieldOf(now ?? {}, key)),
  }));
  const side = (name: "before" | "after") =>
    Object.fromEntries(
      pairs
        .map((each) => [each.key, each[name]] as const)
        .filter((entry): entry is [string, Json] => entry[1] !== undefined),
    );
  return { before: old && side("before"), after: now && side("after") };
}

/**
 * Replaces a value that a preview doesn't read, such as a value of a Secret outside this
 * deployment. It differs from every value in a Secret's `data`, because these are Base64.
 */
export const notCompared = "(not compared)";
