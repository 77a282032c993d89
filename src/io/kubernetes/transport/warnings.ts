import type { IncomingHttpHeaders } from "node:http";
import { shorten } from "../../../redaction/graphemes.ts";

/** Nobody reads more; an admission webhook may send any number. */
const mostWarnings = 10;
/** In UTF-16 units. The API server's own are shorter. */
const longestWarning = 400;

/**
 * The texts of the `Warning` headers of an answer, `299 - "v1 Endpoints is deprecated"` (RFC 7234, section 5.5): each once, the first ones
 * only. Other codes are about caches. What can't be read is left out.
 */
export function warningsIn(headers: IncomingHttpHeaders): readonly string[] {
  const header = [headers.warning ?? []].flat().join(", ");
  const texts = [...header.matchAll(/(?:^|,)\s*(\d{3}) [^\s",]+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g)]
    .filter(([, code]) => code === "299")
    .map(([, , quoted = ""]) => oneLine(utf8(quoted.replaceAll(/\\(.)/g, "$1"))))
    .filter((text) => text !== "");
  return [...new Set(texts)].slice(0, mostWarnings);
}

/** Node reads headers as Latin-1. */
function utf8(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}

function oneLine(text: string): string {
  return shorten(text.replaceAll(/\s+/g, " ").trim(), longestWarning);
}
