import type { Label } from "../../model/problems/problem-text.ts";
import { pageText } from "../../redaction/page.ts";
import { jsonLine, jsonText, manifestText, markdownText } from "../../redaction/program-output.ts";
import { joined, type Markdown, type Page, type TerminalText } from "../../redaction/shown.ts";
import { exactLines, paint, plainLines, splitLine, terminal } from "../../redaction/terminal.ts";
import { breakSentence } from "../../redaction/wrap.ts";
import type { LinePainter, Looks, Tone } from "../../report/text/text-lines.ts";
import { type Output, outputColumns } from "../program/shell.ts";

/**
 * Prints lines with untrusted text from a repository, a cluster or a pull request.
 * Such text must not move the cursor, hide earlier text or send commands to a workflow's runner.
 */
export function print(stream: Pick<Output, "write">, text: string): void {
  stream.write(terminal`${plainLines(text)}\n`);
}

/**
 * Prints lines with untrusted text as a report. On a terminal, it wraps them and makes titles bold.
 * Output to another program (`| …`) stays unchanged.
 */
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
  // Tables, and commands for copying.
  if (/^ *(?:\||qvs )/.test(line)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const width = outputColumns(stream);
  const lines = breakSentence(line, width, `${indent}  `);
  const isTitle = indent === "" && line.endsWith(":");
  return isTitle ? lines.map((one) => paint("bold", one, stream)) : lines;
}

/** Prints manifests byte for byte, so that another program can read them. */
export function printManifests(stream: Output, text: string): void {
  stream.write(manifestText(text, stream.isTTY ?? false));
}

/**
 * Prints YAML with hidden values for a reader. No text in it can act as a command in a log or
 * terminal.
 */
export function printYaml(stream: Output, text: string): void {
  stream.write(exactLines(text));
}

/** Prints Markdown. Callers can write it to a file or to the log of a job. */
export function printMarkdown(stream: Output, markdown: Markdown): void {
  stream.write(markdownText(markdown));
}

/** Prints an HTML page. Callers can write it to a file or to the log of a job. */
export function printPage(stream: Output, page: Page): void {
  stream.write(pageText(page));
}

export function printJson(stream: Output, value: object): void {
  stream.write(terminal`${jsonText(value)}\n`);
}

/** Prints JSON on one line, as an output of a workflow's step requires. */
export function printJsonLine(stream: Output, value: object): void {
  stream.write(terminal`${jsonLine(value)}\n`);
}

const toneColors = {
  added: "green",
  changed: "yellow",
  removed: "red",
  quiet: "dim",
  strong: "bold",
  help: "cyan",
  addedTitle: ["bold", "green"],
  changedTitle: ["bold", "yellow"],
  removedTitle: ["bold", "red"],
  error: "red",
  warning: "yellow",
  note: "cyan",
  allowed: "dim",
} as const satisfies Record<Tone, Parameters<typeof paint>[0]>;

/** Colors lines on a terminal, unless NO_COLOR is set. Other output stays plain text. */
export function linePainter(stream: Output): LinePainter {
  return (line, tone) => {
    if (!stream.isTTY) return line;
    return isLabel(tone) ? paintTitle(line, tone, stream) : paint(toneColors[tone], line, stream);
  };
}

const labels: readonly string[] = ["error", "warning", "note", "allowed"] satisfies Label[];

function isLabel(tone: Tone): tone is Label {
  return labels.includes(tone);
}

/**
 * Paints `error[code]` in its color and the fact bold, including its continuation on another line.
 */
function paintTitle(line: TerminalText, label: Label, stream: Output): TerminalText {
  const end = terminal`]: `;
  const [start, fact] = line.startsWith(`${label}[`) ? splitLine(line, end) : [line, undefined];
  if (fact === undefined) return paint("bold", line, stream);
  const code = paint(toneColors[label], terminal`${start}]`, stream);
  return terminal`${code}${paint("bold", terminal`: ${fact}`, stream)}`;
}

/** Returns the looks for a stream. Only a terminal gets colors and wrapped lines. */
export function outputLooks(stream: Output): Looks {
  return stream.isTTY ? { paint: linePainter(stream), width: outputColumns(stream) } : {};
}
