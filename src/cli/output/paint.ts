import { paint } from "../../redaction/paint.ts";
import type { Looks, Paint, Tone } from "../../report/text/text-lines.ts";
import { type Output, widthOf } from "../shell.ts";

const colours = {
  added: "green",
  changed: "yellow",
  removed: "red",
  quiet: "dim",
  strong: "bold",
} as const satisfies Record<Tone, Parameters<typeof paint>[0]>;

/** Colours on a terminal that wants them (NO_COLOR is honoured), plain text elsewhere. */
export function paintFor(stream: Output): Paint {
  return (line, tone) => (stream.isTTY ? paint(colours[tone], line, stream) : line);
}

/** Lines are painted and broken on a terminal only. */
export function looksFor(stream: Output): Looks {
  return stream.isTTY ? { paint: paintFor(stream), width: widthOf(stream) } : {};
}
