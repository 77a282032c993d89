import type { IncomingHttpHeaders } from "node:http";
import { shorten } from "../../../redaction/graphemes.ts";

/** The maximum number of warnings. An admission webhook can send any number. */
const maxWarnings = 10;
/** The maximum length in UTF-16 units. The API server's own warnings are shorter. */
const longestWarning = 400;

/**
 * Returns the texts of the `Warning` headers of an answer, `299 - "v1 Endpoints is deprecated"`
 * (RFC 7234, section 5.5). It returns each text once, and only the first ones. Other codes concern
 * caches. Unreadable warnings are left out.
 */
export function parseWarnings(headers: IncomingHttpHeaders): readonly string[] {
  const header = [headers.warning ?? []].flat().join(", ");
  const texts = [...header.matchAll(/(?:^|,)\s*(\d{3}) [^\s",]+ "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/g)]
    .filter(([, code]) => code === "299")
    .map(([, , quoted = ""]) => oneLine(utf8(quoted.replaceAll(/\\(.)/g, "$1"))))
    .filter((text) => text !== "");
  return [...new Set(texts)].slice(0, maxWarnings);
}

/** Decodes a header as UTF-8, because Node.js reads headers as Latin-1. */
function utf8(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}

function oneLine(text: string): string {
  return shorten(text.replaceAll(/\s+/g, " ").trim(), longestWarning);
}
