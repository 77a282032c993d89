import { paint } from "../../redaction/paint.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import type { Output, Shell } from "../shell.ts";

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
  // On a terminal, both streams are one text, and need one title.
  const isOneText = stdout.isTTY === true && stderr.isTTY === true;
  const used = new Set(chunks.map(({ to }) => (isOneText ? stdout : to)));
  for (const stream of used) {
    const above = hasOutput.has(stream) ? terminal`\n` : terminal``;
    hasOutput.add(stream);
    stream.write(terminal`${above}${paint("bold", terminal`==> ${exactLine(title)}`, stream)}\n`);
  }
  for (const { to, text } of chunks) to.write(text);
}

function isLine(text: string): boolean {
  return text.indexOf("\n") === text.length - 1;
}
