import { joined, type TerminalText } from "../../redaction/shown.ts";
import { plainText, terminal } from "../../redaction/terminal.ts";
import { blanks, breakLine, padTo, widthOf } from "../../redaction/wrap.ts";
import type { DeployProgress, ObjectState, ShownObject } from "./deploy-progress.ts";
import { elapsedText } from "./elapsed.ts";
import type { Colour, Paint } from "./paint.ts";

/**
 * The result of the deployment: one line of counts, then a table of everything that is not simply unchanged, failures
 * last. Lines are broken where the terminal has so many columns.
 */
export function renderSummary(
  progress: DeployProgress,
  now: number,
  nameOf: (key: string) => string,
  paint: Paint,
  columns?: number,
): TerminalText {
  const objects = [...progress.objects.values()];
  const told = objects
    .filter((object) => object.state !== "unchanged" || object.why !== "")
    .toSorted((a, b) => Number(a.state === "failed") - Number(b.state === "failed"));
  const names = told.map((object) => plainText(nameOf(object.key)));
  const width = Math.min(widestColumn, Math.max(0, ...names.map(widthOf)));
  const lines = told.flatMap((object, index) =>
    row(object, padTo(names[index] ?? terminal``, width), { now, paint, columns }),
  );
  return joined([headline(progress, objects, now, paint), ...lines], "\n");
}

/** The table fits 80 columns: one longer name must not break the lines of all others. */
const widestColumn = 58;

function headline(
  progress: DeployProgress,
  objects: readonly ShownObject[],
  now: number,
  paint: Paint,
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
  cancelled: "Cancelled",
  superseded: "Superseded",
};

interface Look {
  readonly now: number;
  readonly paint: Paint;
  readonly columns: number | undefined;
}

function row(
  object: ShownObject,
  name: TerminalText,
  { now, paint, columns = Number.POSITIVE_INFINITY }: Look,
): readonly TerminalText[] {
  const { mark, colour } = looks[object.state];
  const time = plainText(elapsedText((object.ended ?? now) - object.since));
  const state = padTo(plainText(`${mark} ${object.state}`), 11);
  const rest = terminal`${name} ${blanks(7 - time.length)}${time}`;
  const text = terminal`  ${paint(colour, state)} ${rest}`;
  // What failed is explained below the table, with the evidence.
  const why = object.state === "failed" ? terminal`` : plainText(object.why);
  if (why === "") return [text];
  const isFitting = 3 + widthOf(state) + widthOf(rest) + 2 + widthOf(why) <= columns;
  if (isFitting) return [terminal`${text}  ${why}`];
  return [text, ...breakLine(why, columns - 6, "").map((line) => terminal`      ${line}`)];
}

const looks: Readonly<Record<ObjectState, { readonly mark: string; readonly colour: Colour }>> = {
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

const order = Object.keys(looks) as readonly ObjectState[];
