import { type Colour, paint } from "../../redaction/paint.ts";
import type { TerminalText, TextStream } from "../../redaction/shown.ts";

export type { Colour };

export type Paint = (colour: Colour, text: TerminalText) => TerminalText;

export function noPaint(_colour: Colour, text: TerminalText): TerminalText {
  return text;
}

/** Colours where the stream is a terminal, NO_COLOR is not set and FORCE_COLOR does not say otherwise. */
export function paintFor(stream: TextStream): Paint {
  return (colour, text) => paint(colour, text, stream);
}
