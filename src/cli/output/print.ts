import { jsonLine, jsonText, manifestText, markdownText } from "../../redaction/for-programs.ts";
import { pageText } from "../../redaction/page.ts";
import { paint } from "../../redaction/paint.ts";
import { joined, type Markdown, type Page, type TerminalText } from "../../redaction/shown.ts";
import { exactLines, plainLines, terminal } from "../../redaction/terminal.ts";
import { breakLine, widthOf as columnsIn } from "../../redaction/wrap.ts";
import { type Output, widthOf } from "../shell.ts";

/**
 * Prints lines with untrusted text: of a repository, a cluster or a pull request. It must not move the cursor, hide
 * text before it, or send commands to the runner of a workflow.
 */
export function print(stream: Pick<Output, "write">, text: string): void {
  stream.write(terminal`${plainLines(text)}\n`);
}

/** The same, broken to the width of a terminal, with bold titles; the output of a program (`| …`) is not changed. */
export function printReport(stream: Output, text: string): void {
  if (!stream.isTTY) {
    print(stream, text);
    return;
  }
  const lines = text.split("\n").map(plainLines);
  const broken = lines.flatMap((line) => reportLines(line, stream));
  stream.write(terminal`${joined(broken, "\n")}\n`);
}

function reportLines(line: TerminalText, stream: Output): readonly TerminalText[] {
  // Tables, and commands that are to be copied.
  if (/^ *(?:\||qvs )/.test(line)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const width = widthOf(stream);
  const [, lead, command] = /^(.*:) (qvs .*)$/.exec(line) ?? [];
  // A command stays in one piece, to be copied.
  if (columnsIn(line) > width && lead !== undefined && command !== undefined) {
    return [
      ...breakLine(plainLines(lead), width, `${indent}  `),
      plainLines(`${indent}  ${command}`),
    ];
  }
  const lines = breakLine(line, width, `${indent}  `);
  const isTitle = indent === "" && line.endsWith(":");
  return isTitle ? lines.map((one) => paint("bold", one, stream)) : lines;
}

/** Manifests, byte for byte for the next program. */
export function printManifests(stream: Output, text: string): void {
  stream.write(manifestText(text, stream.isTTY ?? false));
}

/** YAML with hidden values, which is for reading: nothing in it is taken for an order, wherever it is printed. */
export function printYaml(stream: Output, text: string): void {
  stream.write(exactLines(text));
}

/** A document, which may be written to a file or to the log of a job. */
export function printMarkdown(stream: Output, markdown: Markdown): void {
  stream.write(markdownText(markdown));
}

/** A page, which may be written to a file or to the log of a job. */
export function printPage(stream: Output, page: Page): void {
  stream.write(pageText(page));
}

export function printJson(stream: Output, value: object): void {
  stream.write(terminal`${jsonText(value)}\n`);
}

/** On one line, as an output of a workflow's step has to be. */
export function printJsonLine(stream: Output, value: object): void {
  stream.write(terminal`${jsonLine(value)}\n`);
}
