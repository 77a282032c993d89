import { type Colour, paint } from "../../redaction/paint.ts";
import type { TerminalText, TextStream } from "../../redaction/shown.ts";

export type { Colour };

export type Paint = (colour: Colour, text: TerminalText) => TerminalText;

export function noPaint(_colour: Colour, text: TerminalText): TerminalText {
  return text;
}

/** Returns colors for a terminal, unless NO_COLOR is set; FORCE_COLOR overrides this. */
export function paintFor(stream: TextStream): Paint {
  return (colour, text) => paint(colour, text, stream);
}
