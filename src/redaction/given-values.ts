import type { Json } from "../model/json.ts";
import { alteredForms, createScrubber, quotedForms, type Scrubber } from "./scrub.ts";

/** Shorter strings occur in every message. */
const minLength = 3;

/**
 * Creates a scrubber for values that a Go template can print: unchanged, quoted, as JSON, as a map,
 * or as Base64.
 */
export function hideInTemplates(values: readonly Json[]): Scrubber {
  return createScrubber(values.flatMap(templateForms));
}

function templateForms(value: Json): readonly string[] {
  if (value === null || typeof value === "boolean") return [];
  if (typeof value === "object") return Object.values(value).flatMap(templateForms);
  const text = String(value);
  const printed = [text, ...words(text)].flatMap((each) => [each, ...goForms(each)]);
  const all = [...printed, ...printed.flatMap(quotedForms), ...alteredForms(text)];
  return [...new Set(all)].filter(
    (form) => form.length >= minLength && !/^(true|false)$/.test(form),
  );
}

/** Returns the words of a template, because a parser quotes the word that it doesn't know. */
function words(text: string): readonly string[] {
  return text.includes("{{") ? text.split(/[^\w.-]+/) : [];
}

/** Returns a string as Go prints it by `%q`, once and twice, and as schema messages quote it. */
function goForms(text: string): readonly string[] {
  const quoted = [goQuoted(text, false), goQuoted(text, true)];
  const inSchema = quoted.map((each) => each.replaceAll('\\"', '"').replaceAll("'", "\\'"));
  const inHtml = JSON.stringify(text)
    .slice(1, -1)
    .replace(/[<>&\u2028\u2029]/g, unicodeEscape);
  return [
    ...quoted,
    ...inSchema,
    inHtml,
    ...[...quoted, inHtml].map((each) => goQuoted(each, false)),
  ];
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
  ["\\", "\\\\"],
  ['"', '\\"'],
]);

/** Returns the content of a Go string literal. `ascii` is `%+q`. */
function goQuoted(text: string, ascii: boolean): string {
  return [...text].map((each) => escapes.get(each) ?? escapeUnprintable(each, ascii)).join("");
}

/** Go prints letters, marks, numbers, punctuation, symbols and the ASCII space. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

function escapeUnprintable(character: string, ascii: boolean): string {
  const code = character.codePointAt(0) ?? 0;
  if (printable.test(character) && !(ascii && code > 127)) return character;
  if (code < 128) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : unicodeEscape(character);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
