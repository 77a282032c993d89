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

/** The same, broken to the width of a terminal; what a program printed (`| …`) stays as it is. */
export function sayReport(stream: Output, text: string): void {
  if (!stream.isTTY) {
    say(stream, text);
    return;
  }
  const width = widthOf(stream);
  const lines = plainLines(text)
    .split("\n")
    .flatMap((line) => {
      const start = /^ */.exec(line)?.[0] ?? "";
      return line.startsWith("|", start.length) ? [line] : breakLine(line, width, `${start}  `);
    });
  stream.write(`${lines.join("\n")}\n`);
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
