import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import { toBase64 } from "../model/text/base64.ts";
import { isCommonWord } from "./plain-setting.ts";
import { secretsBelow, secretsOf } from "./secrets-within.ts";

/**
 * Takes secret texts out of what others say: a program that cannot be started is quoted with its arguments, a probe with what it
 * printed, a webhook with anything. Shorter texts than these are in every message, and a guess of one is soon made.
 */
const shortest = 4;
/** From here on a text counts within words, too. */
const long = 6;

/** Secret texts that no message may contain. */
export interface HiddenTexts {
  /** Takes texts that `textsToHide` gives. */
  add(texts: Iterable<string>): void;
  /** Returns `message` with `(hidden)` in place of each text. */
  hide(message: string): string;
}

/**
 * Indexes secret texts by their first characters. A message is read once, however many texts there
 * are: with 5,000 Secrets, to look for each of their 70,000 texts took 12 ms per message.
 */
export function hiddenTexts(texts: Iterable<string> = []): HiddenTexts {
  const numbers = new Map<string, number>();
  const byBeginning = new Map<string, string[]>();
  const lengths = new Set<number>();
  const add = (more: Iterable<string>) => {
    for (const text of more) {
      if (numbers.has(text)) continue;
      numbers.set(text, numbers.size);
      const beginning = text.slice(0, shortest);
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
      [...textsWithin(message, byBeginning, lengths)]
        // Of texts that overlap the longer one goes first, else the one that was added first.
        .sort((a, b) => b.length - a.length || (numbers.get(a) ?? 0) - (numbers.get(b) ?? 0))
        .reduce((rest, text) => withoutText(rest, text), message),
  };
}

function textsWithin(
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

function withoutText(message: string, text: string): string {
  if (text.length >= long) return message.replaceAll(text, "(hidden)");
  const quoted = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return message.replaceAll(new RegExp(`(?<![\\w-])${quoted}(?![\\w-])`, "g"), "(hidden)");
}

/** Every text within a value of a Secret, in the forms in which a message may quote it. */
export function textsToHide(value: Json | undefined): readonly string[] {
  if (isList(value) || isObject(value)) return Object.values(value).flatMap(textsToHide);
  if (value === undefined || value === null || typeof value === "boolean") return [];
  return formsOf(String(value));
}

/** Of `data`, where values are in Base64, also what they stand for. */
export function textsOfSecret({ data, ...rest }: JsonObject): readonly string[] {
  const { apiVersion: _a, kind: _k, metadata: _m, type: _t, immutable: _i, ...others } = rest;
  const decoded = isObject(data) ? Object.values(data).flatMap(decodedTexts) : [];
  return [...textsToHide(data), ...decoded, ...textsToHide(others)];
}

function decodedTexts(value: Json): readonly string[] {
  return typeof value === "string" ? formsOf(Buffer.from(value, "base64").toString()) : [];
}

function formsOf(text: string): readonly string[] {
  const lines = text.split(/[\r\n]+/);
  const plain = lines.length > 1 ? [text, ...lines.filter((line) => line.length >= 8)] : [text];
  const forms = plain.flatMap((each) => {
    const trimmed = each.trim();
    return [trimmed, toBase64(each), ...withinBase64(trimmed), ...escaped(trimmed)];
  });
  return [...new Set(forms)].filter((form) => form.length >= shortest);
}

/** As JSON, YAML, XML and addresses hold it. */
function escaped(text: string): readonly string[] {
  const inXml = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return [
    JSON.stringify(text).slice(1, -1),
    text.replaceAll("'", "''"),
    inXml,
    inXml.replaceAll('"', "&quot;"),
    inUrl(text),
    inUrl(text).replaceAll("%20", "+"),
  ];
}

/** Fewer bytes than these are in Base64 by chance. */
const shortestWithin = 6;

/**
 * What stays the same of a text wherever it stands within another one that is in Base64, such as `user:password`: three bytes make four
 * characters, so there are three such forms, without the characters that its neighbours share.
 */
function withinBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  if (bytes.length < shortestWithin) return [];
  return [0, 1, 2].flatMap((offset) => {
    const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const rest = (offset + bytes.length) % 3;
    const end = rest === 0 ? whole.length : whole.length - (rest === 1 ? 3 : 2);
    const inner = whole.slice(offset === 0 ? 0 : offset + 1, end);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** undefined characters, half of a pair, have no such form. */
function inUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** What is known of where the values of params came from. */
export interface ParamOrigins {
  /** Params whose values came from the command line; undefined where nobody knows. */
  readonly inline?: readonly string[] | undefined;
  /** Params that the config hands to params of adapters that are called secrets. */
  readonly secret?: readonly string[] | undefined;
}

/**
 * The texts of params that stand in no output, in the forms in which manifests and messages hold them: the only place that decides
 * it, for previews, drift, releases and rollbacks.
 */
export function textsOfSecretParams(
  params: JsonObject,
  { inline, secret = [] }: ParamOrigins,
): readonly string[] {
  const texts = Object.entries(params).flatMap(([name, value]) => {
    const isInline = inline?.includes(name) === true;
    const values = secretsOfParam(name, value, isInline, secret.includes(name));
    const telling = values.filter((each) => typeof each !== "string" || !isCommonWord(each));
    return telling.flatMap(isInline ? textsOfAnyLength : textsToHide);
  });
  return [...new Set(texts)];
}

function secretsOfParam(
  name: string,
  value: Json,
  isInline: boolean,
  isSecret: boolean,
): readonly Json[] {
  // A `#Secret` says where a secret is. What the command line gives, nobody has declared.
  if (!isInline && isReference(value)) return [];
  return isSecret ? secretsBelow(value, "") : secretsOf(name, value);
}

/** `{key, version}`. */
function isReference(value: Json): boolean {
  return (
    isObject(value) &&
    "key" in value &&
    Object.keys(value).every((name) => ["key", "version"].includes(name))
  );
}

/** A short text hides only what is this text; what is true or false tells nothing. */
function textsOfAnyLength(value: Json): readonly string[] {
  if (typeof value === "object" && value !== null)
    return Object.values(value).flatMap(textsOfAnyLength);
  const text = value === null ? "" : String(value);
  return /^(?:|true|false)$/i.test(text) ? [] : [text, toBase64(text), ...textsToHide(text)];
}
