import { styleText } from "node:util";

export type Colour = "green" | "red" | "yellow" | "cyan" | "dim" | "bold";

export type Paint = (colour: Colour, text: string) => string;

export function noPaint(_colour: Colour, text: string): string {
  return text;
}

/** Colours where the stream is a terminal, NO_COLOR is not set and FORCE_COLOR does not say otherwise. */
export function paintFor(stream: NodeJS.WritableStream): Paint {
  return (colour, text) => styleText(colour, text, { stream });
}
