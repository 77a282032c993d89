import { styleText } from "node:util";
import type { TerminalText, TextStream } from "./shown.ts";

export type Color = "green" | "red" | "yellow" | "cyan" | "dim" | "bold";

/**
 * Colors text if the stream is a terminal and NO_COLOR isn't set; FORCE_COLOR overrides this. The
 * encoders already removed all other colors.
 */
export function paint(
  color: Color | Color[],
  text: TerminalText,
  stream: TextStream,
): TerminalText {
  return styleText(color, text, { stream: stream as NodeJS.WritableStream }) as TerminalText;
}
