import { styleText } from "node:util";
import { plainLines } from "../io/terminal/plain-text.ts";
import { visible } from "../report/markdown.ts";
import { breakLine, widthOf } from "./break-line.ts";
import type { Output } from "./shell.ts";

/**
 * Prints lines that hold words of others: of a repository, a cluster or a pull request. None of them may move the cursor, hide what
 * stands before it, or give commands to the runner of a workflow.
 */
export function say(stream: NodeJS.WritableStream, text: string): void {
  stream.write(`${plainLines(text)}\n`);
}

/** The same, broken to the width of a terminal, with bold titles; what a program printed (`| …`) stays as it is. */
export function sayReport(stream: Output, text: string): void {
  if (!stream.isTTY) {
    say(stream, text);
    return;
  }
  const lines = plainLines(text).split("\n");
  stream.write(`${lines.flatMap((line) => reportLines(line, stream)).join("\n")}\n`);
}

function reportLines(line: string, stream: Output): readonly string[] {
  if (/^ *\|/.test(line)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const lines = breakLine(line, widthOf(stream), `${indent}  `);
  const isTitle = indent === "" && line.endsWith(":");
  return isTitle ? lines.map((one) => styleText("bold", one, { stream })) : lines;
}

/** Manifests, byte for byte for whoever reads on; only a terminal gets those characters written out. */
export function sayManifests(stream: Output, text: string): void {
  stream.write(stream.isTTY ? visible(text) : text);
}

/** JSON whose characters are all safe to see: what `JSON.stringify` leaves as it is, it may also write as an escape. */
export function sayJson(stream: NodeJS.WritableStream, value: object): void {
  const text = JSON.stringify(value, null, 2);
  stream.write(`${text.replace(hidden, escapeSign)}\n`);
}

/** Control characters beyond ASCII's first 32, and marks that change the direction of writing or show nothing at all. */
const hidden = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function escapeSign(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
