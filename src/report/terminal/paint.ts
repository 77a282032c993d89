import { type Color, paint } from "../../redaction/paint.ts";
import type { TerminalText, TextStream } from "../../redaction/shown.ts";

export type { Color as Colour };

export type ColorPainter = (colour: Color, text: TerminalText) => TerminalText;

export function noPaint(_colour: Color, text: TerminalText): TerminalText {
  return text;
}

/** Returns colors for a terminal, unless NO_COLOR is set; FORCE_COLOR overrides this. */
export function streamPainter(stream: TextStream): ColorPainter {
  return (color, text) => paint(color, text, stream);
}
