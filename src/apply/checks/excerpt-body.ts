import { exceedsMaxNesting, isList, isObject, type Json, parseJson } from "../../model/json.ts";
import { shorten } from "../../redaction/graphemes.ts";
import { hideCredentials } from "../../redaction/hide-credentials.ts";
import { isSensitiveField, isSensitiveName } from "../../redaction/sensitive-name.ts";

/** The maximum number of characters of a body that a report shows. */
const maxLength = 200;

/**
 * Returns the start of a body on one line. A server can answer with anything, so values with
 * sensitive names and words that look like credentials are hidden.
 */
export function excerptBody(body: string, isCut: boolean): string {
  const value = parseBody(body);
  const safe = value === undefined ? hideInText(body) : JSON.stringify(hideValues(value));
  const text = safe.replaceAll(/\s+/g, " ").trim();
  return shorten(isCut ? `${text} …` : text, maxLength, maxLength - 1);
}

function hideValues(value: Json, holder = ""): Json {
  if (isList(value)) return value.map((item) => hideValues(item, holder));
  if (!isObject(value)) return typeof value === "string" ? hideInText(value) : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSensitiveName(name) || isSensitiveField(value, name, holder)
        ? "(hidden)"
        : hideValues(inner, name),
    ]),
  );
}

/** Hides secrets in text that isn't JSON, or that is the cut start of JSON. */
function hideInText(text: string): string {
  const named = text
    .replaceAll(
      /("(?:name|key)"\s{0,9}:\s{0,9}"([^"\n]{1,80})"\s{0,9},\s{0,9}"value"\s{0,9}:\s{0,9})"[^"\n]*"?/g,
      (whole, start: string, name: string) =>
        isSensitiveName(name) ? `${start}"(hidden)"` : whole,
    )
    .replaceAll(
      /(["']?)([\w.-]{3,40})\1(\s*[:=]\s*)("[^"\n]*"?|'[^'\n]*'?|(?:bearer |basic )?[^\s,;&}]+)/gi,
      (whole, quote: string, name: string, between: string) =>
        isSensitiveName(name) ? `${quote}${name}${quote}${between}(hidden)` : whole,
    );
  return hideCredentials(named);
}

/**
 * Parses the body of an answer as JSON; undefined if it has another form. A deeply nested body
 * counts as one, because recursive functions read it.
 */
export function parseBody(body: string): Json | undefined {
  return exceedsMaxNesting(body) ? undefined : parseJson(body);
}
