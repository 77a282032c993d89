import type { Stage } from "../../src/model/sources/compilation.ts";
import { type Block, blocksOf } from "../support/blocks.ts";

/** A step of a story, in the order of its document. */
export type Step =
  /** Replaces the manifests of a stage, or changes a part of their text. */
  | { readonly type: "declare"; readonly stage: Stage; readonly yaml: string }
  | { readonly type: "change"; readonly stage: Stage; readonly hunks: readonly Hunk[] }
  | { readonly type: "write"; readonly file: string; readonly text: string }
  /** Commands and their output. */
  | { readonly type: "run"; readonly commands: readonly Command[]; readonly shown: Block };

export interface Hunk {
  readonly from: string;
  readonly to: string;
}

export interface Command {
  /** The command as written, without the prompt. */
  readonly text: string;
  readonly words: readonly string[];
  /** `&`: a later `wait` prints the output. */
  readonly inBackground: boolean;
}

/** Returns the steps of a story; throws for an unknown kind of block. */
export function readStory(markdown: string): readonly Step[] {
  return blocksOf(markdown).map((block) => {
    const [kind, target = ""] = block.info;
    const stage = target === "app" || target === "appSetup" ? target : undefined;
    if (kind === "console") return { type: "run", commands: commandsOf(block.text), shown: block };
    if (kind === "diff" && stage !== undefined) {
      return { type: "change", stage, hunks: hunksOf(block.text) };
    }
    if (kind === "yaml" && stage !== undefined) {
      return { type: "declare", stage, yaml: block.text };
    }
    if (["yaml", "cue", "text"].includes(kind ?? "") && target !== "") {
      return { type: "write", file: target, text: block.text };
    }
    throw new Error(`A block "${block.info.join(" ")}" isn't known here`);
  });
}

function commandsOf(text: string): readonly Command[] {
  return [...text.matchAll(/^\$ (.+)$/gm)].map(([, line = ""]) => {
    const inBackground = line.endsWith(" &");
    const command = inBackground ? line.slice(0, -2) : line;
    const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b ?? "");
    return { text: line, words, inBackground };
  });
}

/**
 * Parses the old lines (`-`), the new lines (`+`) and common lines (blank). An empty line separates
 * hunks.
 */
function hunksOf(diff: string): readonly Hunk[] {
  return diff.split("\n\n").map((hunk) => {
    const lines = hunk.split("\n").filter((line) => line !== "");
    const side = (sign: string) =>
      lines
        .filter((line) => line.startsWith(sign) || line.startsWith(" "))
        .map((line) => `${line.slice(1)}\n`)
        .join("");
    return { from: side("-"), to: side("+") };
  });
}
