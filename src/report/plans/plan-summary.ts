import type { Plan } from "../../model/plan/plan.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import type { DeploymentReport } from "../comment/comment-input.ts";
import { buildChanges } from "../rows/build-changes.ts";
import { notableChanges } from "../rows/notable-changes.ts";
import { newName, type Row } from "../rows/row.ts";
import { sourceLabels } from "../rows/row-text.ts";
import { plural } from "../text/counts.ts";
import { type Looks, line, showLines, type Tone } from "../text/text-lines.ts";

const tones: Readonly<Record<Row["action"], Tone>> = {
  create: "added",
  update: "changed",
  rename: "changed",
  replace: "removed",
  delete: "removed",
  keep: "quiet",
  ignore: "quiet",
  foreign: "quiet",
};

/**
 * Renders one line per changed object for a change ticket: the action, and its notable changes. A
 * narrow terminal continues a line with an indentation.
 */
export function renderPlanSummary(
  report: DeploymentReport & { readonly plan: Plan },
  looks: Looks = {},
): TerminalText {
  const { rows } = buildChanges(report);
  const lines = rows.map((row) => {
    const about = [...describeSources(row), ...notableChanges([row]).map(({ text }) => text)];
    const note = about.length === 0 ? "" : ` (${about.join("; ")})`;
    return line(exactLine(`${row.action.padEnd(7)} ${titleOf(row)}${note}`), tones[row.action]);
  });
  if (lines.length === 0) return terminal`${exactLine(noChangesText(report))}\n`;
  return terminal`${showLines(lines, looks)}\n`;
}

function titleOf({ name, replaces, succeeds }: Row): string {
  if (replaces === undefined || succeeds === undefined) return name;
  return `${succeeds} → ${newName(succeeds, name)}`;
}

function noChangesText({ plan, deployment }: DeploymentReport & { readonly plan: Plan }): string {
  return `${deployment.name}: no changes (${plural(plan.changes.length, "object")})`;
}

/** Lists other origins of the changes: drift, adoption, or a commit that was never deployed. */
function describeSources({ fields, note }: Row): readonly string[] {
  const sources = new Set(fields.map(({ source }) => source));
  const shown = (["undeployed", "drift", "adoption"] as const).filter((each) => sources.has(each));
  return [...(note === undefined ? [] : [note]), ...shown.map((each) => sourceLabels[each])];
}
