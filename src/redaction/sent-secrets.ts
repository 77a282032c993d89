import { mapStrings } from "../model/json.ts";
import { createScrubber, quotedForms } from "./scrub.ts";
import type { TextStream } from "./shown.ts";

/** Returns the same stream without the credentials of this run. */
export function scrubbedStream<T extends TextStream>(stream: T, sent: SentSecrets): T {
  const write: TextStream["write"] = (text) => stream.write(sent.hide(text));
  return Object.assign(Object.create(stream) as T, { write });
}

/** The credentials that a run sends. No output of the run contains one of them. */
export interface SentSecrets {
  /** Adds a credential before it is sent. */
  add(secret: string): void;
  /**
   * Returns a copy in which `(hidden)` replaces each credential, in every form that a response can
   * repeat.
   */
  hide<T>(told: T): T;
}

/** Shorter strings are ordinary words of messages; no token issuer creates them. */
const minLength = 6;

/** Limits the memory of a controller, which renews its tokens every hour. */
const maxKept = 100;

/**
 * Creates the set of credentials. It calls `onAdd` once per credential, so that the workflow runner
 * can mask it too.
 */
export function sentSecrets(onAdd: (secret: string) => void = () => {}): SentSecrets {
  const formsBySecret = new Map<string, readonly string[]>();
  let forms: readonly string[] = [];
  let hidden = createScrubber();
  return {
    add: (secret) => {
      if (secret.trim().length < minLength || formsBySecret.has(secret)) return;
      const [oldest] = formsBySecret.keys();
      if (formsBySecret.size >= maxKept && oldest !== undefined) formsBySecret.delete(oldest);
      formsBySecret.set(secret, secretForms(secret));
      forms = [...formsBySecret.values()].flat();
      hidden = createScrubber(forms);
      onAdd(secret);
    },
    hide: (told) => {
      if (forms.length === 0) return told;
      return mapStrings(told, (text) => scrubSplitTexts(hidden.hide(text), forms));
    },
  };
}

/** Adds the credentials of a request: a bearer token, a user's password, or a private key. */
export function addRequestSecrets(
  sent: SentSecrets,
  { headers, key }: { readonly headers: Readonly<Record<string, string>>; readonly key?: unknown },
): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^(?:proxy-)?authorization$/i.test(name)) continue;
    const space = value.indexOf(" ");
    const scheme = value.slice(0, Math.max(space, 0));
    const secret = value.slice(space + 1).trim();
    sent.add(secret);
    if (scheme.toLowerCase() === "basic") addLogin(sent, secret);
  }
  if (typeof key === "string" || Buffer.isBuffer(key)) sent.add(key.toString());
}

/** Adds the secret values of a check's headers, before they are sent. */
export function addHeaderSecrets(
  sent: SentSecrets,
  headers: readonly { readonly name: string; readonly value: string; readonly isSecret: boolean }[],
): void {
  const secrets = headers.filter(({ isSecret }) => isSecret);
  for (const { value } of secrets) sent.add(value);
  addRequestSecrets(sent, {
    headers: Object.fromEntries(secrets.map(({ name, value }) => [name, value])),
  });
}

function addLogin(sent: SentSecrets, base64: string): void {
  const login = Buffer.from(base64, "base64").toString();
  sent.add(login);
  sent.add(login.slice(login.indexOf(":") + 1));
}

function secretForms(secret: string): readonly string[] {
  const forms = quotedForms(secret);
  return [
    ...new Set(forms.flatMap((form) => [form, lowercaseEscapes(form), unicodeEscapes(form)])),
  ];
}

/** Returns the form with lowercase percent escapes: `%2b` means the same as `%2B`. */
function lowercaseEscapes(form: string): string {
  return form.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
}

/**
 * Returns the form with JSON escapes. Some programs escape these characters of Base64 and markup in
 * JSON.
 */
function unicodeEscapes(form: string): string {
  return form.replaceAll(
    /[<>&=+'"]/g,
    (char) => `\\u00${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}

/** Shorter strings occur by chance if gaps are ignored. */
const minSplitLength = 16;

/**
 * Matches gaps: line wrapping, escapes of Markdown and JSON, colors, and invisible separators of
 * words.
 */
const gaps =
  /(?:\s|\\[nrt]|\\|[\u00ad\u200b-\u200d\u2060\ufeff]|\p{Cc}\[[\d;]{0,20}m|<!-- -->|<wbr>|<br>)/gu;

/**
 * Matches the same gaps, and the marks of a diff, a quotation or a table at the start of a line.
 */
const gapsWithMarks =
  /(?:\n[ \t]{0,80}[>|+-]|\s|\\[nrt]|\\|[\u00ad\u200b-\u200d\u2060\ufeff]|\p{Cc}\[[\d;]{0,20}m|<!-- -->|<wbr>|<br>)/gu;

/** Replaces `texts` by `(hidden)` even if line wrapping or escapes split them. */
function scrubSplitTexts(message: string, texts: readonly string[]): string {
  if (message.length < minSplitLength) return message;
  return [gaps, gapsWithMarks].reduce((rest, gap) => scrubAcrossGaps(rest, texts, gap), message);
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function scrubAcrossGaps(message: string, texts: readonly string[], gap: RegExp): string {
  const { joined, placeOf } = withoutGaps(message, gap);
  if (joined.length === message.length) return message;
  const needles = new Set(texts.map((text) => text.replaceAll(gaps, "")));
  const ranges = [...needles]
    .filter((needle) => needle.length >= minSplitLength)
    .flatMap((needle) => occurrences(joined, needle))
    .map(({ start, end }) => ({ start: placeOf(start), end: placeOf(end - 1) + 1 }));
  return replaceRanges(message, ranges);
}

function occurrences(text: string, needle: string): readonly Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
    found.push({ start: at, end: at + needle.length });
  return found;
}

/**
 * Returns the text without its gaps, and a function that maps a position in it to the original
 * text.
 */
function withoutGaps(text: string, gap: RegExp) {
  const parts: { readonly from: number; readonly at: number }[] = [];
  let joined = "";
  let at = 0;
  const take = (end: number) => {
    if (end > at) parts.push({ from: joined.length, at });
    joined += text.slice(at, end);
  };
  for (const { 0: found, index } of text.matchAll(gap)) {
    take(index);
    at = index + found.length;
  }
  take(text.length);
  return { joined, placeOf: (place: number) => originalIndex(parts, place) };
}

/** Finds the part by binary search, because a document has as many parts as words. */
function originalIndex(parts: readonly { from: number; at: number }[], place: number): number {
  let [low, high] = [0, parts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((parts[middle]?.from ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  const part = parts[low];
  return part === undefined ? place : part.at + place - part.from;
}

/**
 * Replaces ranges. They can overlap, because one form of a string contains parts of other forms.
 */
function replaceRanges(message: string, ranges: readonly Range[]): string {
  let rest = "";
  let at = 0;
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= at) continue;
    if (start >= at) rest += `${message.slice(at, start)}(hidden)`;
    at = end;
  }
  return rest + message.slice(at);
}
