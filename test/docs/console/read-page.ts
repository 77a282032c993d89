/**
 * A page of documentation with commands to run. `<!-- run: in=examples/shop cluster=yes
 * namespaces=shop -->` begins a new directory: `in` is copied into it, `cluster` means that it
 * needs a cluster, `namespaces` are deleted at the end, and `before` is a script that does the work
 * of other tools in advance.
 * After it, fences with `file=PATH` are written as files, and the `$ ` lines of `console` fences
 * are run. The lines below a command are its expected output.
 */
export interface Page {
  readonly parts: readonly Part[];
}

export type Part =
  | { readonly type: "text"; readonly lines: readonly string[] }
  | { readonly type: "run"; readonly line: string; readonly setting: Setting }
  | (Fence & { readonly type: "file"; readonly path: string; readonly lines: readonly string[] })
  | (Fence & { readonly type: "console"; readonly commands: readonly Command[] });

interface Fence {
  /** The opening line, without its indentation. */
  readonly open: string;
  /** Spaces before each line of a fence in a list. */
  readonly indent: string;
}

export interface Setting {
  readonly in: string | undefined;
  readonly cluster: boolean;
  readonly namespaces: readonly string[];
  readonly before: string | undefined;
}

export interface Command {
  /** The command as written, including the prompt and continuation lines. */
  readonly lines: readonly string[];
  readonly output: readonly string[];
}

export function readPage(text: string): Page {
  const parts: Part[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const [open, indent = "", marks = "", info = ""] = /^( *)(`{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      parts.push(plainPart(line));
      continue;
    }
    const end = lines.indexOf(indent + marks, at + 1);
    if (end === -1) throw new Error(`The fence of line ${at + 1} never ends`);
    const body = lines.slice(at + 1, end).map((each) => withoutIndent(each, indent));
    parts.push(fencePart({ open: marks + info, indent }, info, body));
    at = end;
  }
  return { parts };
}

export function writePage({ parts }: Page): string {
  return parts.flatMap(linesOf).join("\n");
}

/** Returns whether the page has commands, and whether they need a cluster. */
export function needOf({ parts }: Page): "nothing" | "no cluster" | "cluster" {
  if (!parts.some(({ type }) => type === "console")) return "nothing";
  const clusters = parts.some((part) => part.type === "run" && part.setting.cluster);
  return clusters ? "cluster" : "no cluster";
}

function plainPart(line: string): Part {
  const run = /^<!-- run:(.*)-->$/.exec(line)?.[1];
  return run === undefined
    ? { type: "text", lines: [line] }
    : { type: "run", line, setting: settingOf(run) };
}

function fencePart(fence: Fence, info: string, body: readonly string[]): Part {
  const path = / file=(\S+)/.exec(info)?.[1];
  if (path !== undefined) return { type: "file", path, ...fence, lines: body };
  if (/^console\b/.test(info)) return { type: "console", ...fence, commands: commandsIn(body) };
  return { type: "text", lines: fenced(fence, body) };
}

/** Returns the lines of a fence as they are in the page. */
function fenced({ open, indent }: Fence, body: readonly string[]): readonly string[] {
  const close = /^`+/.exec(open)?.[0] ?? "";
  return [open, ...body, close].map((line) => (line === "" ? line : indent + line));
}

function withoutIndent(line: string, indent: string): string {
  if (line !== "" && !line.startsWith(indent))
    throw new Error(`Not indented like its fence: ${line}`);
  return line.slice(indent.length);
}

function commandsIn(body: readonly string[]): readonly Command[] {
  const commands: { lines: string[]; output: string[] }[] = [];
  for (const line of body) {
    const last = commands.at(-1);
    if (line.startsWith("$ ")) commands.push({ lines: [line], output: [] });
    else if (last === undefined) throw new Error(`Output without a command: ${line}`);
    else if (last.output.length === 0 && last.lines.at(-1)?.endsWith("\\")) last.lines.push(line);
    else last.output.push(line);
  }
  return commands;
}

function settingOf(text: string): Setting {
  const values = new Map<string, string>();
  for (const word of text.trim().split(/\s+/).filter(Boolean)) {
    const [, name = "", value = ""] = /^(in|cluster|namespaces|before)=(.+)$/.exec(word) ?? [];
    if (name === "") throw new Error(`run: unknown word ${word}`);
    values.set(name, value);
  }
  return {
    in: values.get("in"),
    cluster: values.get("cluster") === "yes",
    namespaces: values.get("namespaces")?.split(",") ?? [],
    before: values.get("before"),
  };
}

function linesOf(part: Part): readonly string[] {
  switch (part.type) {
    case "run":
      return [part.line];
    case "text":
      return part.lines;
    case "file":
      return fenced(part, part.lines);
    case "console":
      return fenced(
        part,
        part.commands.flatMap(({ lines, output }) => [...lines, ...output]),
      );
  }
}
