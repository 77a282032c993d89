import { fstatSync } from "node:fs";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, paint, terminal } from "../../redaction/terminal.ts";
import type { Output, Shell } from "../program/shell.ts";

/** The output of one of several deployments, which is printed as a whole. */
export interface Section {
  /** Collects what the deployment prints. It has no input, so nothing in it asks a question. */
  readonly shell: Shell;
  /** Prints the collected output below the title. */
  print(): void;
}

/** Returns a function that opens the section of a deployment. An empty line separates sections. */
export function createSections(shell: Shell): (title: string) => Section {
  const hasOutput = new Set<Output>();
  return (title) => openSection(shell, title, hasOutput);
}

interface Chunk {
  readonly to: Output;
  readonly text: TerminalText;
}

function openSection(shell: Shell, title: string, hasOutput: Set<Output>): Section {
  const { stdin: _, ...rest } = shell;
  const chunks: Chunk[] = [];
  const collected = {
    ...rest,
    stdout: collectingStream(shell.stdout, chunks),
    stderr: collectingStream(shell.stderr, chunks),
    cwd: () => shell.cwd(),
    chdir: (directory: string) => shell.chdir(directory),
  };
  return { shell: collected, print: () => printChunks(shell, title, chunks, hasOutput) };
}

function collectingStream(stream: Output, chunks: Chunk[]): Output {
  const write: Output["write"] = (text) => {
    if (text !== "") chunks.push({ to: stream, text });
    return true;
  };
  return Object.assign(Object.create(stream) as Output, { write });
}

function printChunks(
  { stdout, stderr }: Shell,
  title: string,
  chunks: readonly Chunk[],
  hasOutput: Set<Output>,
): void {
  // A single line, such as the result of a deployment, names its deployment itself.
  const [only, ...others] = chunks;
  if (only !== undefined && others.length === 0 && isLine(only.text)) {
    only.to.write(only.text);
    return;
  }
  // Streams to the same place, such as a terminal or with `2>&1`, are one text with one title.
  const isOneText = haveSameTarget(stdout, stderr);
  const used = new Set(chunks.map(({ to }) => (isOneText ? stdout : to)));
  for (const stream of used) {
    const above = hasOutput.has(stream) ? terminal`\n` : terminal``;
    hasOutput.add(stream);
    stream.write(terminal`${above}${paint("bold", terminal`==> ${exactLine(title)}`, stream)}\n`);
  }
  for (const { to, text } of chunks) to.write(text);
}

/** Reports whether two streams write to the same terminal, file or pipe. */
function haveSameTarget(...streams: readonly [Output, Output]): boolean {
  const [one, other] = streams.map(identifyTarget);
  if (one !== undefined && other !== undefined) return one === other;
  return streams.every(({ isTTY }) => isTTY === true);
}

/**
 * Returns an identity of the open file behind a stream; undefined if the system has none, such as
 * Windows for pipes.
 */
function identifyTarget(stream: Output & { readonly fd?: number }): string | undefined {
  if (stream.fd === undefined) return undefined;
  try {
    const { dev, ino } = fstatSync(stream.fd, { bigint: true });
    return ino === 0n ? undefined : `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function isLine(text: string): boolean {
  return text.indexOf("\n") === text.length - 1;
}
