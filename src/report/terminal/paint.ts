import { type Color, paint } from "../../redaction/paint.ts";
import type { TerminalText, TextStream } from "../../redaction/shown.ts";

export type { Color as Colour };

export type Paint = (colour: Color, text: TerminalText) => TerminalText;

export function noPaint(_colour: Color, text: TerminalText): TerminalText {
  return text;
}

/** Returns colors for a terminal, unless NO_COLOR is set; FORCE_COLOR overrides this. */
export function paintFor(stream: TextStream): Paint {
  return (colour, text) => paint(colour, text, stream);
}
