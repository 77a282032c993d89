import type { Finding } from "../model/problems/finding.ts";
import { named, type Phrase, say, text } from "../redaction/phrase.ts";
import type { TerminalText } from "../redaction/shown.ts";
import { exactLine, exactLines, terminal } from "../redaction/terminal.ts";
import { factsInWords, listPlaces, placeOf } from "./problems.ts";
import { type Looks, line, showLines, type TextLine, verbatim } from "./text/text-lines.ts";

/**
 * Returns the prediction, **Why**, **Fix** and **Where**. docs/reference/findings.md explains the
 * codes.
 */
export function findingInWords(finding: Finding, isOlder = false): Phrase {
  return factsInWords({ ...finding, isOlder });
}

/** Returns a short mention of a finding that an annotation allows. */
export function allowedInWords({ code, what, allowed }: Finding): Phrase {
  const where = allowed?.where ?? [];
  const by = where.length === 0 ? [] : say` by ${listPlaces(where)}`;
  return say`allowed${by}: ${text(what)} ${named(code)}`;
}

/** The same for a terminal, after an empty line. */
export function findingLines(finding: Finding): readonly TextLine[] {
  const { code: name, severity, what, why, fix, paste = [], where, allowed } = finding;
  const places = (allowed ?? { where }).where.map(placeOf).join(" and ");
  if (allowed !== undefined) {
    const by = places === "" ? "" : ` by ${places}`;
    return ["", `allowed${by}: ${what} [${name}]`].map((one) => line(exactLine(one)));
  }
  const lines = [
    "",
    `${severity}: ${what} [${name}]`,
    ...(places === "" ? [] : [`  at ${places}`]),
    ...(why === "" ? [] : [`  why: ${why}`]),
    ...(fix === "" ? [] : [`  fix: ${fix}`]),
  ];
  const pasted = paste.map((one) => verbatim(terminal`      ${exactLines(one)}`));
  return [...lines.map((one) => line(exactLine(one))), ...pasted];
}

/** Renders the findings of a plan that is shown elsewhere. */
export function renderFindings(findings: readonly Finding[], looks: Looks): TerminalText {
  return findings.length === 0
    ? terminal``
    : terminal`${showLines(findings.flatMap(findingLines), looks)}\n`;
}
