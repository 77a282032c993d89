import { styleText } from "node:util";
import type { TerminalText, TextStream } from "./shown.ts";

export type Colour = "green" | "red" | "yellow" | "cyan" | "dim" | "bold";

/** The only colours that are shown are ours: where the stream is a terminal, NO_COLOR is not set and FORCE_COLOR does not say otherwise. */
export function paint(
  colour: Colour | Colour[],
  text: TerminalText,
  stream: TextStream,
): TerminalText {
  return styleText(colour, text, { stream: stream as NodeJS.WritableStream }) as TerminalText;
}
