import { structuredPatch } from "diff";
import type { Json } from "../../model/json.ts";
import { type RedactionContext, redactPair } from "../../redaction/redact.ts";
import type { RedactedPair } from "../../redaction/redact-secrets.ts";
import { toYaml } from "../text/yaml.ts";
import { describeCrdChanges } from "./describe-crd-changes.ts";
import { formatForDiff } from "./format-documents.ts";
import { pairFields, shortenLines } from "./hunk-lines.ts";

/** A unified diff of one object's YAML, with Secret values hidden. */
export interface TextDiff {
  readonly added: number;
  readonly removed: number;
  /** The hunks by place. A new or deleted object has one hunk without a place. */
  readonly hunks: readonly TextHunk[];
  /** A summary if the lines are too long: the changes of a CustomResourceDefinition. */
  readonly words?: readonly string[] | undefined;
}

export interface TextHunk {
  /** The fields that lead to the change, such as `spec › template`. */
  readonly place?: string | undefined;
  /** The lines. Each starts with `+`, `-`, a space, or `@@` and the path of the following lines. */
  readonly lines: readonly string[];
}

export function diffTextLines(diff: TextDiff | undefined): readonly string[] {
  return (diff?.hunks ?? []).flatMap(({ lines }) => lines);
}

type Hunk = ReturnType<typeof structuredPatch>["hunks"][number];

const contextLines = 2;
/**
 * The search for a short diff takes quadratic time. With more differing lines, the diff shows the
 * object as replaced.
 */
const maxEdits = 4000;

/** Returns the diff of two values. Undefined if no visible part differs. */
export function diffValues(
  before: Json | undefined,
  after: Json | undefined,
  view: RedactionContext = {},
): TextDiff | undefined {
  return diffShown(redactPair(before, after, view), view.hides);
}

/** Returns the diff of two redacted values. `hides` are values that must not be shown. */
export function diffShown(
  shown: RedactedPair,
  hides: readonly string[] = [],
): TextDiff | undefined {
  const { before, after } = formatForDiff(shown, hides);
  const diff =
    diffTexts(optionalYaml(before), optionalYaml(after)) ??
    diffTexts(optionalYaml(shown.before), optionalYaml(shown.after));
  const words = describeCrdChanges(shown.before, shown.after);
  return diff === undefined || words.length === 0 ? diff : { ...diff, words };
}

function diffTexts(before: string, after: string): TextDiff | undefined {
  if (before === after) return undefined;
  const hunks = diffHunks(before, after);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    hunks,
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}

function diffHunks(before: string, after: string): readonly TextHunk[] {
  const patch = structuredPatch("", "", before, after, "", "", {
    context: contextLines,
    maxEditLength: maxEdits,
  });
  if (patch === undefined || before === "" || after === "") {
    return [{ place: undefined, lines: replaceAll(before, after) }];
  }
  return patch.hunks.map((hunk, index) => renderHunk(hunk, before, index));
}

function optionalYaml(value: Json | undefined): string {
  return value === undefined ? "" : toYaml(value);
}

/**
 * Renders a hunk with the path to its first edit instead of line numbers.
 * Line numbers of generated YAML don't help a reader. The path leaves out the fields that the hunk
 * shows, and it allows less indentation.
 */
function renderHunk(hunk: Hunk, before: string, index: number): TextHunk {
  const whole = shortenLines(pairFields(hunk.lines.filter((line) => !line.startsWith("\\"))));
  const { skipped, body } = trimToParent(whole);
  const edit = body.findIndex((line) => !line.startsWith(" "));
  const start = hunk.oldStart - 1 + skipped;
  const indent = fieldIndent(body[edit]?.slice(1) ?? "");
  const lines = before.split("\n");
  const place = parentPath(lines, start + edit, indent, start + edit);
  const path = parentPath(lines, start + edit, indent, start);
  if (path !== "") return { place, lines: [`@@ ${path} @@`, ...outdent(body)] };
  // Without a header, the hunk would look like a part of the one above.
  const header = index === 0 ? [] : [`@@ ${place === "" ? "top level" : place} @@`];
  return { place, lines: [...header, ...body] };
}

/**
 * Drops context lines outside the field or list item that contains all edits.
 * Next to them, an edit would look like a part of another object. `skipped` is the number of
 * dropped lines at the start.
 */
function trimToParent(lines: readonly string[]): {
  readonly skipped: number;
  readonly body: readonly string[];
} {
  const isEdit = (line: string) => !line.startsWith(" ");
  const first = lines.findIndex(isEdit);
  const last = lines.findLastIndex(isEdit);
  const edits = lines.slice(first, last + 1).filter((line) => line.slice(1).trim() !== "");
  const within = Math.min(...edits.map((line) => leadingSpaces(line.slice(1))));
  const isOutside = (line: string) =>
    line.slice(1).trim() !== "" && leadingSpaces(line.slice(1)) < within;
  const outside = lines.slice(0, first).findLastIndex(isOutside);
  const end = lines.slice(last + 1).findIndex(isOutside);
  // The first line of a list item stays, because it names the item.
  const isItem = outside >= 0 && fieldIndent(lines[outside]?.slice(1) ?? "") === within;
  const skipped = isItem ? outside : outside + 1;
  return { skipped, body: lines.slice(skipped, end < 0 ? undefined : last + 1 + end) };
}

function leadingSpaces(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

function outdent(body: readonly string[]): readonly string[] {
  const filled = body.filter((line) => line.slice(1).trim() !== "");
  const spare = Math.min(...filled.map((line) => /^.( *)/.exec(line)?.[1]?.length ?? 0));
  return body.map((line) => line.slice(0, 1) + line.slice(1 + spare));
}

/**
 * Returns the parent fields of the line at `index`, found by indentation.
 * It leaves out the parents in the hunk itself, which starts at `shown`. A list item is named by
 * its first field.
 */
function parentPath(
  lines: readonly string[],
  index: number,
  indent: number,
  shown: number,
): string {
  const path: string[] = [];
  let within = indent;
  for (let i = index - 1; i >= 0 && within > 0; i--) {
    const [, spaces = "", dash = "", text = ""] = /^( *)((?:- )*)(.*)/s.exec(lines[i] ?? "") ?? [];
    if (text === "" || spaces.length >= within) continue;
    const label = parentLabel(text, within > spaces.length + dash.length);
    if (label !== undefined && i < shown) path.unshift(label);
    within = spaces.length;
  }
  return path.join(" › ");
}

function parentLabel(text: string, isParent: boolean): string | undefined {
  // A document within a string has its own brackets.
  if (/^[{[]$/.test(text)) return undefined;
  if (isParent) return text.replace(/:( [|>][-+]?)?$/, "").replace(/^"(.*)": [{[]$/, "$1");
  return text.startsWith("name: ") ? text.slice("name: ".length) : undefined;
}

/**
 * Returns the indentation of a line. The fields of a list item align after its dash, so the dash
 * counts.
 */
function fieldIndent(line: string): number {
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
