import type { Stage } from "../../src/model/compilation.ts";
import { type Block, blocksOf } from "../support/blocks.ts";

/** One thing that happens in a story, in the order of its document. */
export type Step =
  /** What a stage declares from now on: all of it, or what changes of its text. */
  | { readonly type: "declare"; readonly stage: Stage; readonly yaml: string }
  | { readonly type: "change"; readonly stage: Stage; readonly hunks: readonly Hunk[] }
  | { readonly type: "write"; readonly file: string; readonly text: string }
  /** Commands, and what they show. */
  | { readonly type: "run"; readonly commands: readonly Command[]; readonly shown: Block };

export interface Hunk {
  readonly from: string;
  readonly to: string;
}

export interface Command {
  /** As written, without the prompt. */
  readonly text: string;
  readonly words: readonly string[];
  /** `&`: what it shows is reported by a later `wait`. */
  readonly inBackground: boolean;
}

/** The steps of a story; a block that is none of the kinds above is refused. */
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
    throw new Error(`A block "${block.info.join(" ")}" means nothing here`);
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

/** What stood there and what stands there now: lines with `-` and `+`, with a blank those of both. An empty line parts hunks. */
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
