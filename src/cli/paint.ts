import { styleText } from "node:util";
import { plainLines } from "../io/terminal/plain-text.ts";
import type { Paint, Tone } from "../report/plan-text.ts";
import type { Output } from "./shell.ts";

const styles = {
  added: "green",
  changed: "yellow",
  removed: "red",
  quiet: "dim",
  strong: "bold",
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** Colours on a terminal that wants them (NO_COLOR is honoured), plain text elsewhere; none but our own on either. */
export function paintFor(stream: Output): Paint {
  if (!stream.isTTY) return plainLines;
  return (line, tone) => styleText(styles[tone], plainLines(line), { stream });
}
