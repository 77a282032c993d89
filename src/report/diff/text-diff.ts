import { structuredPatch } from "diff";
import type { Json } from "../../model/json.ts";
import { redactPair, type View } from "../../redaction/redact.ts";
import type { RedactedPair } from "../../redaction/secret-view.ts";
import { toYaml } from "../text/yaml.ts";
import { shortenLines } from "./changed-words.ts";
import { changedDefinition } from "./definition-words.ts";
import { pairFields } from "./pair-fields.ts";
import { readable } from "./readable.ts";

/** What changes in one object, as a unified diff of its YAML with Secret values hidden. */
export interface TextDiff {
  readonly added: number;
  readonly removed: number;
  /** By the places that they are about; one without a place where all is new or gone. */
  readonly hunks: readonly TextHunk[];
  /** What it comes to, where the lines say too much: how the definition of a kind changes. */
  readonly words?: readonly string[] | undefined;
}

export interface TextHunk {
  /** The fields that lead to what changes, e.g. `spec › template`. */
  readonly place?: string | undefined;
  /** They begin with `+`, `-`, a space, or `@@` and the path of what follows. */
  readonly lines: readonly string[];
}

export function linesOf(diff: TextDiff | undefined): readonly string[] {
  return (diff?.hunks ?? []).flatMap(({ lines }) => lines);
}

type Hunk = ReturnType<typeof structuredPatch>["hunks"][number];

const contextLines = 2;
/** Beyond this many differing lines the search for a short diff is quadratic; such objects are shown as replaced. */
const maxEdits = 4000;

/** undefined when nothing that may be shown differs. */
export function diffValues(
  before: Json | undefined,
  after: Json | undefined,
  view: View = {},
): TextDiff | undefined {
  return diffShown(redactPair(before, after, view), view.hides);
}

/** The same of values that are ready to be shown. `hides` are texts that may be shown nowhere. */
export function diffShown(
  shown: RedactedPair,
  hides: readonly string[] = [],
): TextDiff | undefined {
  const { before, after } = readable(shown, hides);
  const diff =
    diffTexts(yamlOf(before), yamlOf(after)) ??
    diffTexts(yamlOf(shown.before), yamlOf(shown.after));
  const words = changedDefinition(shown.before, shown.after);
  return diff === undefined || words.length === 0 ? diff : { ...diff, words };
}

function diffTexts(before: string, after: string): TextDiff | undefined {
  if (before === after) return undefined;
  const hunks = hunksOf(before, after);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    hunks,
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}

function hunksOf(before: string, after: string): readonly TextHunk[] {
  const patch = structuredPatch("", "", before, after, "", "", {
    context: contextLines,
    maxEditLength: maxEdits,
  });
  if (patch === undefined || before === "" || after === "") {
    return [{ place: undefined, lines: replaceAll(before, after) }];
  }
  return patch.hunks.map((hunk, index) => renderHunk(hunk, before, index));
}

function yamlOf(value: Json | undefined): string {
  return value === undefined ? "" : toYaml(value);
}

/**
 * Line numbers of generated YAML tell a reader nothing; the path to the first edit does, as far as the hunk does not show it,
 * and it makes room on the left.
 */
function renderHunk(hunk: Hunk, before: string, index: number): TextHunk {
  const whole = shortenLines(pairFields(hunk.lines.filter((line) => !line.startsWith("\\"))));
  const { skipped, body } = withinParent(whole);
  const edit = body.findIndex((line) => !line.startsWith(" "));
  const start = hunk.oldStart - 1 + skipped;
  const indent = indentOf(body[edit]?.slice(1) ?? "");
  const lines = before.split("\n");
  const place = pathTo(lines, start + edit, indent, start + edit);
  const path = pathTo(lines, start + edit, indent, start);
  if (path !== "") return { place, lines: [`@@ ${path} @@`, ...outdent(body)] };
  // Without a header it would read as a part of the one above.
  const header = index === 0 ? [] : [`@@ ${place === "" ? "top level" : place} @@`];
  return { place, lines: [...header, ...body] };
}

/**
 * Drops context lines outside the field or the list item that contains all edits: next to them, an edit
 * would read as a part of another object. `skipped` is the number of dropped lines in front.
 */
function withinParent(lines: readonly string[]): {
  readonly skipped: number;
  readonly body: readonly string[];
} {
  const isEdit = (line: string) => !line.startsWith(" ");
  const first = lines.findIndex(isEdit);
  const last = lines.findLastIndex(isEdit);
  const edits = lines.slice(first, last + 1).filter((line) => line.slice(1).trim() !== "");
  const within = Math.min(...edits.map((line) => spacesOf(line.slice(1))));
  const isOutside = (line: string) =>
    line.slice(1).trim() !== "" && spacesOf(line.slice(1)) < within;
  const outside = lines.slice(0, first).findLastIndex(isOutside);
  const end = lines.slice(last + 1).findIndex(isOutside);
  // The first line of a list item stays: it names the item.
  const isItem = outside >= 0 && indentOf(lines[outside]?.slice(1) ?? "") === within;
  const skipped = isItem ? outside : outside + 1;
  return { skipped, body: lines.slice(skipped, end < 0 ? undefined : last + 1 + end) };
}

function spacesOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

function outdent(body: readonly string[]): readonly string[] {
  const filled = body.filter((line) => line.slice(1).trim() !== "");
  const spare = Math.min(...filled.map((line) => /^.( *)/.exec(line)?.[1]?.length ?? 0));
  return body.map((line) => line.slice(0, 1) + line.slice(1 + spare));
}

/**
 * The parents of the line at `index` by their indentation, without those in the hunk itself, which begins at `shown`. A list
 * item goes by its name, which is its first field.
 */
function pathTo(lines: readonly string[], index: number, indent: number, shown: number): string {
  const path: string[] = [];
  let within = indent;
  for (let i = index - 1; i >= 0 && within > 0; i--) {
    const [, spaces = "", dash = "", text = ""] = /^( *)((?:- )*)(.*)/s.exec(lines[i] ?? "") ?? [];
    if (text === "" || spaces.length >= within) continue;
    const label = labelOf(text, within > spaces.length + dash.length);
    if (label !== undefined && i < shown) path.unshift(label);
    within = spaces.length;
  }
  return path.join(" › ");
}

function labelOf(text: string, isParent: boolean): string | undefined {
  // A document within a text has brackets of its own.
  if (/^[{[]$/.test(text)) return undefined;
  if (isParent) return text.replace(/:( [|>][-+]?)?$/, "").replace(/^"(.*)": [{[]$/, "$1");
  return text.startsWith("name: ") ? text.slice("name: ".length) : undefined;
}

/** A list item's fields align behind its dash, so the dash counts as indentation. */
function indentOf(line: string): number {
  return /^ *(- )*/.exec(line)?.[0].length ?? 0;
}

function replaceAll(before: string, after: string): readonly string[] {
  const lines = (text: string, marker: string) =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => marker + line);
  return [...lines(before, "-"), ...lines(after, "+")];
}
