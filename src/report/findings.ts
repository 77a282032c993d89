import type { Finding } from "../model/problems/finding.ts";
import { findingLabel } from "../model/problems/problem-text.ts";
import { inlineCode, type Phrase, say, text } from "../redaction/phrase.ts";
import type { TerminalText } from "../redaction/shown.ts";
import { terminal } from "../redaction/terminal.ts";
import { factsPhrase, listPlaces } from "./problem-phrases.ts";
import { problemTextLines } from "./text/problem-text-lines.ts";
import { type Looks, line, showLines, type TextLine } from "./text/text-lines.ts";

/**
 * Returns the prediction, **Why**, **Fix** and **Where**. docs/reference/findings.md explains the
 * codes.
 */
export function findingPhrase(finding: Finding, isOlder = false): Phrase {
  return factsPhrase({ ...finding, isOlder });
}

/** Returns a short mention of a finding that an annotation allows. */
export function allowedFindingPhrase({ code, what, allowed }: Finding): Phrase {
  const where = allowed?.where ?? [];
  const by = where.length === 0 ? [] : say` by ${listPlaces(where)}`;
  return say`allowed${by}: ${text(what)} ${inlineCode(code)}`;
}

/** Returns an empty line and the lines of a finding. An allowed finding has only its place. */
export function findingLines(finding: Finding): readonly TextLine[] {
  const { code, what, allowed } = finding;
  const shown = allowed === undefined ? finding : { code, what, where: allowed.where, fix: "" };
  return [line(terminal``), ...problemTextLines(shown, findingLabel(finding))];
}

/** Renders the findings of a plan that is shown elsewhere. */
export function renderFindings(findings: readonly Finding[], looks: Looks): TerminalText {
  return findings.length === 0
    ? terminal``
    : terminal`${showLines(findings.flatMap(findingLines), looks)}\n`;
}
