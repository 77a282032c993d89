import { type Block, blocksOf } from "../support/blocks.ts";
import type { TemporaryRepository } from "../support/git/temporary-repository.ts";

/** A section of a gallery file: a mistake in the shop, a command, and its output. */
export interface Case {
  readonly name: string;
  readonly changes: readonly Block[];
  readonly args: readonly string[];
  readonly code: number;
  /** The block that shows the command and all of stderr. */
  readonly shown: Block;
}

/**
 * Returns the cases of a gallery file. Throws if a case has no command, or changes neither files
 * nor flags of the shop.
 */
export function readCases(markdown: string): readonly Case[] {
  const headings = [...markdown.matchAll(/^## (.*)$/gm)];
  const blocks = blocksOf(markdown);
  return headings.map((heading, index) => {
    const end = headings[index + 1]?.index ?? markdown.length;
    const own = blocks.filter(({ start }) => start > heading.index && start < end);
    return readCase(heading[1] ?? "", own);
  });
}

function readCase(name: string, blocks: readonly Block[]): Case {
  const [shown, ...more] = blocks.filter(({ info }) => info[0] === "console");
  const command = /^\$ qvs ?(.*)$/m.exec(shown?.text ?? "")?.[1];
  if (shown === undefined || command === undefined || more.length > 0) {
    throw new Error(`"${name}" needs one console block that begins with "$ qvs …"`);
  }
  const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b ?? "");
  const changes = blocks.filter((block) => block !== shown);
  const code = shown.info[1] === "exit" ? Number(shown.info[2]) : 1;
  return { name, changes, args, code, shown };
}

/** Makes the mistake in a copy of the shop. */
export function breakShop(repository: TemporaryRepository, { name, changes }: Case): void {
  for (const { info, text } of changes) {
    const [kind, file, how] = info;
    if (file === undefined) throw new Error(`"${name}" has a block without the name of a file`);
    if (kind === "removed") repository.remove(file);
    else if (kind === "diff") for (const hunk of hunksOf(text)) repository.change(file, ...hunk);
    else repository.write(file, how === "escaped" ? unescaped(text) : text);
  }
}

/**
 * Returns the old and new text of each hunk from lines with `-` and `+`. Common lines begin with a
 * blank.
 */
function hunksOf(diff: string): readonly (readonly [from: string, to: string])[] {
  const hunks = diff.split("\n\n").map((hunk) => hunk.split("\n").filter((line) => line !== ""));
  const side = (hunk: readonly string[], sign: string) =>
    hunk
      .filter((line) => line.startsWith(sign) || line.startsWith(" "))
      .map((line) => `${line.slice(1)}\n`)
      .join("");
  return hunks.map((hunk) => [side(hunk, "-"), side(hunk, "+")]);
}

/**
 * Replaces `\xff` by a byte, `\r` by a carriage return and `\t` by a tab, because these are
 * invisible in a document.
 */
function unescaped(text: string): Buffer {
  const bytes = text
    .replaceAll("\\r", "\r")
    .replaceAll("\\t", "\t")
    .replaceAll(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  return Buffer.from(bytes, "latin1");
}
