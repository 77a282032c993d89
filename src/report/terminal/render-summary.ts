import { elapsedText } from "../../model/text/duration.ts";
import { joined, type TerminalText } from "../../redaction/shown.ts";
import { type ColorPainter, type Colour, plainText, terminal } from "../../redaction/terminal.ts";
import { blanks, breakLine, displayWidth, padColumns } from "../../redaction/wrap.ts";
import { rowKind } from "../rows/row.ts";
import type { DeployProgress, ObjectState, ProgressObject } from "./deploy-progress.ts";

/**
 * Renders the result of the deployment: one line of counts, then a table of everything that isn't
 * just unchanged, failures last. In a long table, fast successes are one line for each kind. Lines
 * fit the number of columns.
 */
export function renderSummary(
  progress: DeployProgress,
  now: number,
  displayName: (key: string) => string,
  paint: ColorPainter,
  columns?: number,
): TerminalText {
  const objects = [...progress.objects.values()];
  const lines = tableLines(progress, now, displayName, { paint, columns });
  return joined([headline(progress, objects, now, paint), ...lines], "\n");
}

/** Renders the same without the line of counts, for a terminal on which another line has them. */
export function renderTable(
  progress: DeployProgress,
  now: number,
  displayName: (key: string) => string,
  paint: ColorPainter,
  columns: number,
): TerminalText {
  return joined(tableLines(progress, now, displayName, { paint, columns }), "\n");
}

function tableLines(
  progress: DeployProgress,
  now: number,
  displayName: (key: string) => string,
  { paint, columns }: Omit<SummaryStyle, "width">,
): readonly TerminalText[] {
  const objects = [...progress.objects.values()];
  const listed = objects
    .filter((object) => object.state !== "unchanged" || object.why !== "")
    .toSorted((a, b) => Number(a.state === "failed") - Number(b.state === "failed"));
  const rows = listed.map((object) => summaryRow(object, now, displayName));
  const shown = rows.length > longTable ? groupFastRows(rows) : rows;
  const width = Math.min(widestColumn, Math.max(0, ...shown.map(({ name }) => displayWidth(name))));
  return shown.flatMap((each) => rowLines(each, { width, paint, columns }));
}

/** A table of more rows counts its fast successes by kind. */
const longTable = 40;

/** The longest time of a fast success. */
const fastMs = 5_000;

interface ChangeRow {
  readonly state: ObjectState;
  readonly name: TerminalText;
  readonly milliseconds: number;
  readonly why: string;
}

function summaryRow(
  object: ProgressObject,
  now: number,
  displayName: (key: string) => string,
): ChangeRow {
  const { key, state, since, ended = now, why } = object;
  return { state, name: plainText(displayName(key)), milliseconds: ended - since, why };
}

/** Replaces the fast successes of a kind by `270 × ConfigMap`, with the longest time of them. */
function groupFastRows(rows: readonly ChangeRow[]): readonly ChangeRow[] {
  const crowds = Map.groupBy(rows, (row) =>
    isPlain(row) ? `${row.state} ${rowKind(row.name)}` : row,
  );
  return [...crowds.values()].flatMap((crowd): readonly ChangeRow[] => {
    const [first] = crowd;
    if (first === undefined || crowd.length === 1) return crowd;
    const name = plainText(`${crowd.length} × ${rowKind(first.name)}`);
    const milliseconds = Math.max(...crowd.map((row) => row.milliseconds));
    return [{ ...first, name, milliseconds }];
  });
}

function isPlain({ state, milliseconds, why }: ChangeRow): boolean {
  return (state === "created" || state === "updated") && milliseconds < fastMs && why === "";
}

/** The column limit, so that one long name doesn't break the lines of all others at 80 columns. */
const widestColumn = 58;

function headline(
  progress: DeployProgress,
  objects: readonly ProgressObject[],
  now: number,
  paint: ColorPainter,
): TerminalText {
  const time = elapsedText((progress.ended ?? now) - progress.started);
  const succeeded = progress.ending === "succeeded";
  const failure = unfinished[progress.ending ?? "failed"] ?? "Failed";
  const verdict = succeeded ? `Succeeded in ${time}` : `${failure} after ${time}`;
  const counts = order.flatMap((state) => {
    const count = objects.filter((object) => object.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  const rest = counts.length === 0 ? "nothing to do" : counts.join(", ");
  return terminal`${paint(succeeded ? "green" : "red", plainText(verdict))}: ${plainText(rest)}`;
}

const unfinished: Partial<Record<string, string>> = {
  cancelled: "Canceled",
  superseded: "Superseded",
};

interface SummaryStyle {
  /** The width of the column with the names. */
  readonly width: number;
  readonly paint: ColorPainter;
  readonly columns: number | undefined;
}

function rowLines(
  row: ChangeRow,
  { width, paint, columns = Number.POSITIVE_INFINITY }: SummaryStyle,
): readonly TerminalText[] {
  const { mark, colour: color } = stateStyles[row.state];
  const time = plainText(elapsedText(row.milliseconds));
  const state = padColumns(plainText(`${mark} ${row.state}`), 11);
  const rest = terminal`${padColumns(row.name, width)} ${blanks(7 - time.length)}${time}`;
  const text = terminal`  ${paint(color, state)} ${rest}`;
  // Failures are explained below the table, with the evidence.
  const why = row.state === "failed" ? terminal`` : plainText(row.why);
  if (why === "") return [text];
  const isFitting = 3 + displayWidth(state) + displayWidth(rest) + 2 + displayWidth(why) <= columns;
  if (isFitting) return [terminal`${text}  ${why}`];
  return [text, ...breakLine(why, columns - 6, "").map((line) => terminal`      ${line}`)];
}

const stateStyles: Readonly<
  Record<ObjectState, { readonly mark: string; readonly colour: Colour }>
> = {
  created: { mark: "✔", colour: "green" },
  updated: { mark: "✔", colour: "green" },
  replaced: { mark: "✔", colour: "green" },
  unchanged: { mark: "✔", colour: "dim" },
  deleted: { mark: "✔", colour: "green" },
  kept: { mark: "•", colour: "dim" },
  applying: { mark: "…", colour: "yellow" },
  waiting: { mark: "…", colour: "yellow" },
  deleting: { mark: "…", colour: "yellow" },
  failed: { mark: "✖", colour: "red" },
};

const order = Object.keys(stateStyles) as readonly ObjectState[];
