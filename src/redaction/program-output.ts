import {
  type AnnotationText,
  fillTemplate,
  type Markdown,
  type Shown,
  type TerminalText,
} from "./shown.ts";
import { exactLines, plainLines, plainText } from "./terminal.ts";
import { replaceHidden } from "./visible.ts";
import { shorten } from "./wrap.ts";

/**
 * Returns manifests byte for byte for other programs. On a terminal, invisible characters are
 * written as escapes.
 */
export function manifestText(text: string, isTerminal: boolean): TerminalText {
  return isTerminal ? exactLines(text) : (text as TerminalText);
}

/** Returns a document for standard output, which can be the log of a job. */
export function markdownText(markdown: Markdown): TerminalText {
  return exactLines(markdown);
}

/**
 * Returns JSON without invisible characters. It writes them as escapes, which mean the same in
 * JSON.
 */
export function jsonText(value: object): TerminalText {
  return safeJson(JSON.stringify(value, null, 2));
}

/** Returns the same JSON without line ends. */
export function jsonLine(value: object): TerminalText {
  return safeJson(JSON.stringify(value));
}

function safeJson(text: string): TerminalText {
  return replaceHidden(text, escapeUnits).replaceAll("##[", "#\\u0023[") as TerminalText;
}

/** Returns a string in Graphviz's language, in which a backslash would start an escape. */
export function dotText(text: string): TerminalText {
  const escaped = plainText(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `"${escaped}"` as TerminalText;
}

/** A drawing, as its own file or in a page. */
export type Svg = Shown<"SVG">;

export function svg(parts: TemplateStringsArray, ...values: readonly (Svg | number)[]): Svg {
  return fillTemplate(parts, values);
}

/** Encodes text or the value of an attribute in an SVG. */
export function svgText(text: string): Svg {
  const escaped = plainText(text).replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  return escaped as string as Svg;
}

/** Returns a drawing for standard output. Its text contains no workflow commands. */
export function svgOutput(drawing: Svg): TerminalText {
  return drawing as string as TerminalText;
}

/** Escapes each UTF-16 unit of a character, because JSON has no other escapes. */
function escapeUnits(char: string): string {
  return char.split("").map(escapeUnit).join("");
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** GitHub's limit for one message, in characters. */
const maxMessage = 4096;

/**
 * Returns a message of several lines. `end`, the fix, is on its own lines and is kept if the
 * message is cut.
 */
export function annotationMessage(text: string, end = ""): AnnotationText {
  const closing = end === "" ? "" : `\n${cut(plainLines(end), maxMessage / 2 - 1)}`;
  return `${cut(plainLines(text), maxMessage - closing.length)}${closing}` as AnnotationText;
}

function cut(text: string, most: number): string {
  return shorten(text, most, most - 1);
}

/** Returns a title or a path. The caller encodes the characters that delimit properties. */
export function annotationProperty(text: string): AnnotationText {
  return plainText(text) as string as AnnotationText;
}
