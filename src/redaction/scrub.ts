import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { toBase64 } from "../model/text/base64.ts";
import { isCommonWord } from "./sensitive-name.ts";
import { sensitiveValues, valuesUnderSensitiveName } from "./sensitive-values.ts";

/**
 * The minimum length of a hidden string. Shorter strings occur in every message and are easy to
 * guess.
 * qvs removes secrets from the messages of other programs. A program that doesn't start is quoted
 * with its arguments, a probe with its output, and a webhook can quote anything.
 */
const minLength = 4;
/** From this length on, a string is also hidden inside words. */
const minLengthInsideWords = 6;

/** Secret strings that must not appear in a message. */
export interface Scrubber {
  /** Adds strings from `quotedForms`. */
  add(texts: Iterable<string>): void;
  /** Returns `message` with `(hidden)` instead of each string. */
  hide(message: string): string;
}

/**
 * Indexes secret strings by their first characters, so that a message is read once for any number
 * of them.
 * Measured: with 5,000 Secrets, a search for each of their 70,000 strings took 12 ms per message.
 */
export function createScrubber(texts: Iterable<string> = []): Scrubber {
  const numbers = new Map<string, number>();
  const byBeginning = new Map<string, string[]>();
  const lengths = new Set<number>();
  const add = (more: Iterable<string>) => {
    for (const text of more) {
      if (numbers.has(text)) continue;
      numbers.set(text, numbers.size);
      const beginning = text.slice(0, minLength);
      lengths.add(beginning.length);
      const alike = byBeginning.get(beginning);
      if (alike === undefined) byBeginning.set(beginning, [text]);
      else alike.push(text);
    }
  };
  add(texts);
  return {
    add,
    hide: (message) =>
      [...occurringTexts(message, byBeginning, lengths)]
        // If strings overlap, the longer one is replaced first, then the one that was added first.
        .sort((a, b) => b.length - a.length || (numbers.get(a) ?? 0) - (numbers.get(b) ?? 0))
        .reduce((rest, text) => scrubText(rest, text), message),
  };
}

const scrubbers = new WeakMap<readonly string[], Pick<Scrubber, "hide">>();

/**
 * Returns a scrubber for strings in all forms in which a message can quote them. It is created once
 * for each list, because a plan hides the same strings in many places.
 */
export function scrubberOf(hides: readonly string[]): Pick<Scrubber, "hide"> {
  const known = scrubbers.get(hides);
  if (known !== undefined) return known;
  const created = createScrubber(hides.flatMap(quotedForms));
  scrubbers.set(hides, created);
  return created;
}

function occurringTexts(
  message: string,
  byBeginning: ReadonlyMap<string, readonly string[]>,
  lengths: Iterable<number>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (let start = 0; start < message.length; start += 1) {
    for (const length of lengths) {
      for (const text of byBeginning.get(message.slice(start, start + length)) ?? []) {
        if (!found.has(text) && message.startsWith(text, start)) found.add(text);
      }
    }
  }
  return found;
}

function scrubText(message: string, text: string): string {
  if (text.length >= minLengthInsideWords) return message.replaceAll(text, "(hidden)");
  const quoted = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return message.replaceAll(new RegExp(`(?<![\\w-])${quoted}(?![\\w-])`, "g"), "(hidden)");
}

/**
 * Returns every string in a value of a Secret, in the forms in which a message can quote it.
 * A number counts as its text.
 */
export function quotedForms(value: Json | undefined): readonly string[] {
  if (isList(value) || isObject(value)) return Object.values(value).flatMap(quotedForms);
  if (value === undefined || value === null || typeof value === "boolean") return [];
  return textForms(String(value));
}

/**
 * Returns the strings of a Secret. The values of `data` are Base64, so the result also contains the
 * decoded strings.
 */
export function secretObjectForms({ data, ...rest }: JsonObject): readonly string[] {
  const { apiVersion: _a, kind: _k, metadata: _m, type: _t, immutable: _i, ...others } = rest;
  const decoded = isObject(data) ? Object.values(data).flatMap(decodedForms) : [];
  return [...quotedForms(data), ...decoded, ...quotedForms(others)];
}

function decodedForms(value: Json): readonly string[] {
  return typeof value === "string" ? textForms(Buffer.from(value, "base64").toString()) : [];
}

function textForms(text: string): readonly string[] {
  const lines = text.split(/[\r\n]+/);
  const plain = lines.length > 1 ? [text, ...lines.filter((line) => line.length >= 8)] : [text];
  const forms = plain.flatMap((each) => {
    const trimmed = each.trim();
    return [trimmed, toBase64(each), ...base64Fragments(trimmed), ...escapedForms(trimmed)];
  });
  return [...new Set(forms)].filter((form) => form.length >= minLength);
}

/** Returns the string as JSON, YAML, XML and URLs contain it. */
function escapedForms(text: string): readonly string[] {
  const inXml = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    JSON.stringify(text).slice(1, -1),
    text.replaceAll("'", "''"),
    inXml,
    inXml.replaceAll('"', "&quot;"),
    urlEncoded(text),
    urlEncoded(text).replaceAll("%20", "+"),
  ];
}

/** Shorter byte sequences occur in Base64 by chance. */
const minBase64Bytes = 6;

/**
 * Returns the parts of a string's Base64 that don't depend on surrounding text, such as the
 * password in `user:password`.
 * Three bytes become four characters, so there are three such forms. Characters that also encode
 * neighboring bytes are omitted.
 */
function base64Fragments(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  if (bytes.length < minBase64Bytes) return [];
  return [0, 1, 2].flatMap((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const rest = (offset + bytes.length) % 3;
    const end = rest === 0 ? whole.length : whole.length - (rest === 1 ? 3 : 2);
    const inner = whole.slice(offset === 0 ? 0 : offset + 1, end);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Encodes text for a URL. Unpaired surrogates can't be encoded, so they are replaced first. */
function urlEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The known origins of the values of params. */
interface ParamOrigins {
  /** The params whose values came from the command line; undefined if unknown. */
  readonly inline?: readonly string[] | undefined;
  /** The params that the config passes to adapter arguments with sensitive names. */
  readonly secret?: readonly string[] | undefined;
}

/** Returns the forms of the value of a param. */
export type ParamForms = (value: Json, isInline: boolean) => readonly string[];

/** Computes the forms of each value once: releases of a deployment have mostly the same values. */
export function createParamForms(): ParamForms {
  const known = new Map<string, readonly string[]>();
  return (value, isInline) => {
    const key = `${isInline} ${JSON.stringify(value)}`;
    const forms = known.get(key) ?? paramForms(value, isInline);
    known.set(key, forms);
    return forms;
  };
}

function paramForms(value: Json, isInline: boolean): readonly string[] {
  if (typeof value === "string" && isCommonWord(value)) return [];
  return [...(isInline ? anyLengthForms(value) : quotedForms(value)), ...alteredForms(value)];
}

/**
 * Returns the values of params that no output can contain, in the forms in which manifests and
 * messages contain them.
 * It is the only place that decides this for previews, drift, releases and rollbacks.
 */
export function secretParamForms(
  params: JsonObject,
  { inline, secret = [] }: ParamOrigins,
  formsOf: ParamForms = createParamForms(),
): readonly string[] {
  const texts = Object.entries(params).flatMap(([name, value]) => {
    const isInline = inline?.includes(name) === true;
    const values = paramSecrets(name, value, isInline, secret.includes(name));
    return values.flatMap((each) => formsOf(each, isInline));
  });
  return [...new Set(texts)];
}

function paramSecrets(
  name: string,
  value: Json,
  isInline: boolean,
  isSecret: boolean,
): readonly Json[] {
  // A `#Secret` only refers to a secret. A value from the command line has no declared type.
  if (!isInline && isSecretReference(value)) return [];
  return isSecret ? valuesUnderSensitiveName(value, "") : sensitiveValues(name, value);
}

/** Reports whether a value has the form `{key, version}`. */
function isSecretReference(value: Json): boolean {
  return (
    isObject(value) &&
    "key" in value &&
    Object.keys(value).every((name) => ["key", "version"].includes(name))
  );
}

/**
 * Returns the strings of a value. A short string hides only values that equal it. `true` and
 * `false` reveal nothing and are skipped.
 */
function anyLengthForms(value: Json): readonly string[] {
  if (typeof value === "object" && value !== null)
    return Object.values(value).flatMap(anyLengthForms);
  const text = value === null ? "" : String(value);
  return /^(?:|true|false)$/i.test(text) ? [] : [text, toBase64(text), ...quotedForms(text)];
}

/** A shorter string in another letter case is too often a word of a message. */
const minAlteredLength = 6;

/**
 * Returns the strings of a value as functions of CUE and of Go templates change them: in upper,
 * lower and title case, with small first letters, in hexadecimal digits, and as Base64 of Base64.
 * A hash, a reversed string, a substring or another encoding isn't recognized
 * (SECURITY.md#known-limits).
 */
export function alteredForms(value: Json | undefined): readonly string[] {
  if (isList(value) || isObject(value)) return Object.values(value).flatMap(alteredForms);
  if (value === undefined || value === null || typeof value === "boolean") return [];
  const text = String(value);
  const forms = [text, text.trim()]
    .filter((each) => each.length >= minAlteredLength)
    .flatMap(alter);
  return [...new Set(forms)];
}

/** The first letters of words: for Go templates after each separator, for CUE after a space. */
const firstLetters: readonly RegExp[] = [/(?<![\p{L}\p{N}_])\p{L}/gu, /(?<!\S)\p{L}/gu];

function alter(text: string): readonly string[] {
  const hex = Buffer.from(text).toString("hex");
  const titles = firstLetters.flatMap((letters) => [
    text.replaceAll(letters, (letter) => letter.toUpperCase()),
    text.replaceAll(letters, (letter) => letter.toLowerCase()),
  ]);
  const cased = [text.toUpperCase(), text.toLowerCase(), ...titles];
  return [...cased, hex, hex.toUpperCase(), doubleBase64(text)];
}

/** A shorter beginning can occur in Base64 by chance. */
const minBeginning = 12;

/** Returns Base64 of Base64, if possible without the end, which a line break would change. */
function doubleBase64(text: string): string {
  const inner = toBase64(text);
  const whole = toBase64(inner);
  const beginning = whole.slice(0, Math.floor(((inner.length - 4) * 4) / 3));
  return beginning.length >= minBeginning ? beginning : whole;
}
