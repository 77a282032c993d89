import { isList, isObject, type Json } from "../model/json.ts";
import { toBase64 } from "../model/text/base64.ts";

/** A shorter string in another letter case is too often a word of a message. */
const minLength = 6;

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
  const forms = [text, text.trim()].filter((each) => each.length >= minLength).flatMap(alter);
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
