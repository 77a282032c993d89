import type { Label } from "../../model/problems/problem-text.ts";
import { paint } from "../../redaction/paint.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { splitLine, terminal } from "../../redaction/terminal.ts";
import type { LinePainter, Looks, Tone } from "../../report/text/text-lines.ts";
import { type Output, outputColumns } from "../shell.ts";

const toneColors = {
  added: "green",
  changed: "yellow",
  removed: "red",
  quiet: "dim",
  strong: "bold",
  help: "cyan",
  addedTitle: ["bold", "green"],
  changedTitle: ["bold", "yellow"],
  removedTitle: ["bold", "red"],
  error: "red",
  warning: "yellow",
  note: "cyan",
  allowed: "dim",
} as const satisfies Record<Tone, Parameters<typeof paint>[0]>;

/** Colors lines on a terminal, unless NO_COLOR is set. Other output stays plain text. */
export function linePainter(stream: Output): LinePainter {
  return (line, tone) => {
    if (!stream.isTTY) return line;
    return isLabel(tone) ? paintTitle(line, tone, stream) : paint(toneColors[tone], line, stream);
  };
}

const labels: readonly string[] = ["error", "warning", "note", "allowed"] satisfies Label[];

function isLabel(tone: Tone): tone is Label {
  return labels.includes(tone);
}

/**
 * Paints `error[code]` in its color and the fact bold, including its continuation on another line.
 */
function paintTitle(line: TerminalText, label: Label, stream: Output): TerminalText {
  const end = terminal`]: `;
  const [start, fact] = line.startsWith(`${label}[`) ? splitLine(line, end) : [line, undefined];
  if (fact === undefined) return paint("bold", line, stream);
  const code = paint(toneColors[label], terminal`${start}]`, stream);
  return terminal`${code}${paint("bold", terminal`: ${fact}`, stream)}`;
}

/** Returns the looks for a stream. Only a terminal gets colors and wrapped lines. */
export function outputLooks(stream: Output): Looks {
  return stream.isTTY ? { paint: linePainter(stream), width: outputColumns(stream) } : {};
}
