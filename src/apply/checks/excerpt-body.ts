import { exceedsMaxNesting, isList, isObject, type Json, parseJson } from "../../model/json.ts";
import { shorten } from "../../redaction/graphemes.ts";
import { isLikelySecretValue, isSensitiveName } from "../../redaction/sensitive-name.ts";

/** The maximum number of characters of a body that a report shows. */
const maxLength = 200;

/**
 * Returns the start of a body on one line. A server can answer with anything, so values with
 * sensitive names and words that look like credentials are hidden.
 */
export function excerptBody(body: string, isCut: boolean): string {
  const text = hideWords(hideFields(body)).replaceAll(/\s+/g, " ").trim();
  return shorten(isCut ? `${text} …` : text, maxLength, maxLength - 1);
}

function hideFields(body: string): string {
  const value = parseBody(body);
  if (value !== undefined) return JSON.stringify(hideValues(value));
  // A cut body isn't JSON, and other formats have names too.
  return body.replaceAll(
    /(["']?)([\w.-]{3,40})\1(\s*[:=]\s*)("[^"\n]*"?|'[^'\n]*'?|[^\s,;&}]+)/g,
    (whole, quote: string, name: string, between: string) =>
      isSensitiveName(name) ? `${quote}${name}${quote}${between}(hidden)` : whole,
  );
}

function hideValues(value: Json): Json {
  if (isList(value)) return value.map(hideValues);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSensitiveName(name) ? "(hidden)" : hideValues(inner),
    ]),
  );
}

function hideWords(text: string): string {
  return text.replaceAll(/[\w+/=.~-]{16,}/g, (word) =>
    isLikelySecretValue(word) ? "(hidden)" : word,
  );
}

/**
 * Parses the body of an answer as JSON; undefined if it has another form. A deeply nested body
 * counts as one, because recursive functions read it.
 */
export function parseBody(body: string): Json | undefined {
  return exceedsMaxNesting(body) ? undefined : parseJson(body);
}
