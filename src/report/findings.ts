import type { Finding } from "../model/finding.ts";
import { code, escapeText, fenced, md } from "../redaction/markdown.ts";
import { joined, type Markdown } from "../redaction/shown.ts";
import { exactLine, exactLines, terminal } from "../redaction/terminal.ts";
import type { ShowPlace } from "./comment/places.ts";
import { placeOf, placesIn } from "./problems.ts";
import { line, type TextLine, verbatim } from "./text-lines.ts";

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

/** The same for a terminal, after an empty line. */
export function findingLines(finding: Finding): readonly TextLine[] {
  const { code: name, severity, what, why, fix, paste = [], where, allowed } = finding;
  const places = (allowed ?? { where }).where.map(placeOf).join(" and ");
  if (allowed !== undefined) {
    const by = places === "" ? "" : ` by ${places}`;
    return ["", `allowed${by}: ${what} [${name}]`].map((text) => line(exactLine(text)));
  }
  const lines = [
    "",
    `${severity}: ${what} [${name}]`,
    ...(places === "" ? [] : [`  at ${places}`]),
    ...(why === "" ? [] : [`  why: ${why}`]),
    ...(fix === "" ? [] : [`  fix: ${fix}`]),
  ];
  const pasted = paste.map((text) => verbatim(terminal`      ${exactLines(text)}`));
  return [...lines.map((text) => line(exactLine(text))), ...pasted];
}
