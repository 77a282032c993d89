import { paint } from "../redaction/paint.ts";
import type { Paint, Tone } from "../report/plan-text.ts";
import type { Output } from "./shell.ts";

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
