import { elapsedText } from "../model/text/duration.ts";
import { joined, type TerminalText } from "../redaction/shown.ts";
import { exactLine, terminal } from "../redaction/terminal.ts";
import { renderColumns } from "./queries/columns.ts";
import type { Counts } from "./review/count-objects.ts";
import { plural } from "./text/counts.ts";
import type { Looks, Tone } from "./text/text-lines.ts";

/** The end of one of several deployments, in the words of the summary. */
export interface DeploymentRow {
  readonly deployment: string;
  /** The heading that the totals count, such as `deployed` or `not started`. */
  readonly group: string;
  /** The outcome with its details, such as `release 4 succeeded`. */
  readonly outcome: string;
  /** The changes, such as `2 created, 1 failed`. Empty if there are none. */
  readonly changes: string;
  /** Undefined if the work didn't start. */
  readonly milliseconds: number | undefined;
  readonly tone: Tone;
}

/** Renders the table of all deployments, and the number of deployments by outcome. */
export function renderSeveralSummary(
  rows: readonly DeploymentRow[],
  looks: Looks = {},
): TerminalText {
  const titles = ["DEPLOYMENT", "OUTCOME", "CHANGES", "TIME"];
  const table = renderColumns(titles, rows.map(toAnswerRow), looks);
  return terminal`${joined([table, exactLine(totalsText(rows))], "\n")}\n`;
}

function toAnswerRow({ deployment, outcome, changes, milliseconds, tone }: DeploymentRow) {
  const time = milliseconds === undefined ? "" : elapsedText(milliseconds);
  return {
    cells: [{ text: deployment }, { text: outcome, tone }, { text: changes }, { text: time }],
  };
}

/** Returns `5 deployments: 3 deployed, 1 failed, 1 skipped`, with the order of the rows. */
function totalsText(rows: readonly DeploymentRow[]): string {
  const groups = [...Map.groupBy(rows, ({ group }) => group)];
  const counts = groups.map(([group, { length }]) => `${length} ${group}`);
  return `${plural(rows.length, "deployment")}: ${counts.join(", ")}`;
}

/** Returns `2 to create, 1 to delete`. Empty if nothing is counted. */
export function describeCounts(counts: Counts): string {
  return (["create", "update", "replace", "delete"] as const)
    .filter((action) => counts[action] > 0)
    .map((action) => `${counts[action]} to ${action}`)
    .join(", ");
}
