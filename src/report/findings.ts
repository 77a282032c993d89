import type { Finding } from "../model/finding.ts";
import { code, escapeText, fenced, md } from "../redaction/markdown.ts";
import { joined, type Markdown, type TerminalText } from "../redaction/shown.ts";
import { exactLine, exactLines, terminal } from "../redaction/terminal.ts";
import type { ShowPlace } from "./comment/places.ts";
import { placeOf, placesIn } from "./problems.ts";

const marks = { error: "🛑", warning: "⚠️", note: "ℹ️" } as const;

/** What, the code that docs/reference/findings.md explains, the numbers behind it, and what to paste where. */
export function renderFinding(
  { code: name, severity, what, why, fix, paste = [], where }: Finding,
  show: ShowPlace,
): Markdown {
  const head = md`${escapeText(marks[severity])} **${escapeText(what)}**${placesIn(where, show)} ${code(name)}`;
  const because = why === "" ? md`` : md`<br>${escapeText(why)}`;
  const cure = fix === "" ? md`` : md`<br>→ ${escapeText(fix)}`;
  const lines = paste.length === 0 ? md`` : md`\n\n${fenced("yaml", paste)}`;
  return md`${head}${because}${cure}${lines}`;
}

/** One that an annotation allows is only mentioned. */
export function renderAllowed({ code: name, what, allowed }: Finding, show: ShowPlace): Markdown {
  const places = (allowed?.where ?? []).map((position) => show(position, code(placeOf(position))));
  const by = places.length === 0 ? md`` : md` by ${joined(places, " and ")}`;
  return md`allowed${by}: ${escapeText(what)} ${code(name)}`;
}

/** The same for a terminal, a finding after the other. */
export function renderFindingsText(findings: readonly Finding[]): readonly TerminalText[] {
  return findings.map((finding) => {
    const { code: name, severity, what, why, fix, paste = [], where, allowed } = finding;
    const places = (allowed ?? { where }).where.map(placeOf).join(" and ");
    if (allowed !== undefined) {
      return terminal`\n${exactLine(`allowed${places === "" ? "" : ` by ${places}`}: ${what} [${name}]`)}`;
    }
    const lines = [
      `${severity}: ${what} [${name}]`,
      ...(places === "" ? [] : [`  at ${places}`]),
      ...(why === "" ? [] : [`  why: ${why}`]),
      ...(fix === "" ? [] : [`  fix: ${fix}`]),
    ];
    const text = joined(lines.map(exactLine), "\n");
    const pasted = paste.map((line) => terminal`\n      ${exactLines(line)}`);
    return terminal`\n${joined([text, ...pasted], "")}`;
  });
}
