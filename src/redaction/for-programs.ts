import { shorten } from "./graphemes.ts";
import {
  type AnnotationText,
  filledIn,
  type Markdown,
  type Shown,
  type TerminalText,
} from "./shown.ts";
import { exactLines, plainLines, plainText } from "./terminal.ts";
import { replaceHidden } from "./visible.ts";

/** Manifests, byte for byte for whoever reads on; only a terminal gets the characters written out that can't be seen. */
export function manifestText(text: string, isTerminal: boolean): TerminalText {
  return isTerminal ? exactLines(text) : (text as TerminalText);
}

/** A document on the standard output, which may be the log of a job. */
export function markdownText(markdown: Markdown): TerminalText {
  return exactLines(markdown);
}

/** JSON whose characters are all safe to see: what `JSON.stringify` leaves as it is, it may also write as an escape. */
export function jsonText(value: object): TerminalText {
  return safeJson(JSON.stringify(value, null, 2));
}

/** The same without line ends. */
export function jsonLine(value: object): TerminalText {
  return safeJson(JSON.stringify(value));
}

function safeJson(text: string): TerminalText {
  return replaceHidden(text, escapeUnits).replaceAll("##[", "#\\u0023[") as TerminalText;
}

/** A string of Graphviz's language, in which a backslash would begin an escape. */
export function dotText(text: string): TerminalText {
  const escaped = plainText(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `"${escaped}"` as TerminalText;
}

/** A drawing, as a file of its own or within a page. */
export type Svg = Shown<"SVG">;

export function svg(parts: TemplateStringsArray, ...values: readonly (Svg | number)[]): Svg {
  return filledIn(parts, values);
}

/** Text or the value of an attribute in an SVG. */
export function svgText(text: string): Svg {
  const escaped = plainText(text).replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  return escaped as string as Svg;
}

/** On the standard output. Its texts give no orders to the runner of a workflow. */
export function svgOutput(drawing: Svg): TerminalText {
  return drawing as string as TerminalText;
}

/** JSON knows units of UTF-16 only. */
function escapeUnits(char: string): string {
  return char.split("").map(escapeUnit).join("");
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** GitHub's limit for one message, in characters. */
const maxMessage = 4096;

/** A message of several lines, and what stays when it has to be cut: the cure, on lines of its own. */
export function annotationMessage(text: string, end = ""): AnnotationText {
  const ending = end === "" ? "" : `\n${cut(plainLines(end), maxMessage / 2 - 1)}`;
  return `${cut(plainLines(text), maxMessage - ending.length)}${ending}` as AnnotationText;
}

function cut(text: string, most: number): string {
  return shorten(text, most, most - 1);
}

/** A title or a path. What delimits properties is encoded by those who write them. */
export function annotationProperty(text: string): AnnotationText {
  return plainText(text) as string as AnnotationText;
}
