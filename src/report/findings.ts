import { type Finding, isOpen } from "../model/finding.ts";
import { code, escapeText, fenced, md } from "../redaction/markdown.ts";
import { joined, type Markdown, type TerminalText } from "../redaction/shown.ts";
import { exactLine, exactLines, terminal } from "../redaction/terminal.ts";
import { placeOf } from "./problems.ts";

const marks = { error: "🛑", warning: "⚠️", note: "ℹ️" } as const;

/** A Markdown list: what, the code that docs/reference/findings.md explains, the numbers behind it, and what to paste where. */
export function renderFindings(findings: readonly Finding[]): Markdown {
  const open = findings.filter(isOpen).map(renderFinding);
  return joined([...open, ...findings.filter((each) => !isOpen(each)).map(renderAllowed)], "\n");
}

function renderFinding({
  code: name,
  severity,
  what,
  why,
  fix,
  paste = [],
  where,
}: Finding): Markdown {
  const places = where.map((position) => code(placeOf(position)));
  const place = places.length === 0 ? md`` : md` (${joined(places, " and ")})`;
  const head = md`- ${escapeText(marks[severity])} **${escapeText(what)}**${place} ${code(name)}`;
  const because = why === "" ? md`` : md`<br>${escapeText(why)}`;
  const cure = fix === "" ? md`` : md`<br>→ ${escapeText(fix)}`;
  const lines = paste.length === 0 ? md`` : md`\n\n${fenced("yaml", paste)}\n`;
  return md`${head}${because}${cure}${lines}`;
}

function renderAllowed({ code: name, what, allowed }: Finding): Markdown {
  const places = (allowed?.where ?? []).map((position) => code(placeOf(position)));
  const by = places.length === 0 ? md`` : md` by ${joined(places, " and ")}`;
  return md`- allowed${by}: ${escapeText(what)} ${code(name)}`;
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
