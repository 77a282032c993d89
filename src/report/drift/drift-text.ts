import {
  type Drift,
  type DriftedField,
  type DriftedObject,
  type DriftKind,
  driftKinds,
} from "../../model/deployments/drift.ts";
import type { Json } from "../../model/json.ts";
import { nameOf } from "../../model/object.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { TerminalText } from "../../redaction/shown.ts";
import { exactLine, terminal } from "../../redaction/terminal.ts";
import { authorText } from "../rows/notable-changes.ts";
import { plural } from "../text/counts.ts";
import {
  type Looks,
  line,
  problemTextLines,
  showLines,
  type TextLine,
  type Tone,
} from "../text/text-lines.ts";
import { valueText, valueTexts } from "../text/value-text.ts";

const kindStyles: Readonly<
  Record<DriftKind, { readonly mark: TerminalText; readonly tone: Tone }>
> = {
  changed: { mark: terminal`~`, tone: "changed" },
  missing: { mark: terminal`+`, tone: "added" },
  "taken over": { mark: terminal`~`, tone: "changed" },
  extra: { mark: terminal`-`, tone: "removed" },
};

/** Renders the differences between deployments and their current releases for a terminal. */
export function renderDriftText(drifts: readonly Drift[], looks: Looks = {}): TerminalText {
  const blocks = drifts.flatMap((drift, index) => [
    ...(index > 0 && drift.status !== "clean" ? [line(terminal``)] : []),
    ...driftLines(drift),
  ]);
  return showLines([...blocks, line(terminal``)], looks);
}

function driftLines(drift: Drift): readonly TextLine[] {
  const { objects, blockers, status } = drift;
  const title = line(exactLine(driftSentence(drift)), "strong");
  if (status === "unknown") return [title, ...blockers.flatMap(problemLines), ...noteLines(drift)];
  return [
    ...objects.flatMap((object) => objectLines(object, drift.at)),
    ...(blockers.length === 0 ? [] : [line(terminal`A correction would be blocked:`, "removed")]),
    ...blockers.flatMap(problemLines),
    ...noteLines(drift),
    title,
  ];
}

function problemLines(problem: Problem): readonly TextLine[] {
  return problemTextLines(problem, "error").map((each) => ({
    ...each,
    text: terminal`  ${each.text}`,
  }));
}

function noteLines(drift: Drift): readonly TextLine[] {
  return shownNotes(drift).map((note) => line(exactLine(note), "quiet"));
}

/** Returns the notices about absent objects that aren't drift, and about unknown values. */
export function shownNotes({ notices }: Drift): readonly string[] {
  return notices.flatMap(({ code, what, why }) =>
    shownNoticeCodes.has(code) ? [why === undefined ? what : `${what}: ${why}`] : [],
  );
}

const shownNoticeCodes: ReadonlySet<string> = new Set([
  "completed-job-deleted",
  "field-dropped",
  "missing-permission",
  "one-way-field",
]);

/** Returns text such as `shop: drift from release 7: 1 changed, 1 missing (of 12 objects)`. */
export function driftSentence({ deployment, status, release, declared, objects }: Drift): string {
  const from = release === undefined ? "" : ` release ${release}`;
  if (status === "unknown") return `${deployment}: drift couldn't be checked`;
  if (status === "clean")
    return `${deployment}: no drift${from === "" ? "" : ` from${from}`} (${plural(declared, "object")})`;
  const counts = driftKinds
    .map((kind) => ({ kind, number: objects.filter((each) => each.kind === kind).length }))
    .filter(({ number }) => number > 0)
    .map(({ kind, number }) => `${number} ${kind}`);
  return `${deployment}: drift from${from}: ${counts.join(", ")} (of ${plural(declared, "object")})`;
}

function objectLines(object: DriftedObject, now: string): readonly TextLine[] {
  const { kind, id, fields } = object;
  const { mark, tone } = kindStyles[kind];
  const name = exactLine(nameOf(id));
  const notes = describeDriftedObject(object, now);
  const note = notes.length === 0 ? terminal`` : terminal` (${exactLine(notes.join("; "))})`;
  return [
    line(terminal`${mark} ${exactLine(kind.padEnd(longestKind))} ${name}${note}`, tone),
    ...fields.map((field) => line(exactLine(`    ${driftedFieldText(field, kind, now)}`), "quiet")),
  ];
}

/** Describes an object apart from its fields. With `now`, it shows times as ages. */
export function describeDriftedObject(
  { recreates = [], unsure, createdBy, deletedSince }: DriftedObject,
  now: string | undefined,
): readonly string[] {
  return [
    ...(deletedSince === undefined ? [] : [`terminating since ${deletedSince}`]),
    ...(createdBy === undefined ? [] : [`recreated by ${authorText(createdBy, now)}`]),
    ...(recreates.length === 0
      ? []
      : [`a correction recreates it to change ${recreates.join(", ")}`]),
    ...(unsure === undefined ? [] : [unsure]),
  ];
}

const longestKind = Math.max(...driftKinds.map((kind) => kind.length));

/** Returns text such as `spec.replicas: 5 instead of 3 (kubectl-edit, 2 hours ago)`. */
export function driftedFieldText(
  { path, live, recorded, by, isHidden }: DriftedField,
  kind: DriftKind,
  now: string | undefined,
): string {
  const who = by === undefined ? "" : ` (${authorText(by, now)})`;
  if (kind === "taken over" || isHidden) return `${path}${who}`;
  const [is, was] = driftedValueTexts(live, recorded);
  return `${path}: ${is} instead of ${was}${who}`;
}

function driftedValueTexts(live: Json | undefined, recorded: Json | undefined) {
  if (live !== undefined && recorded !== undefined) return valueTexts(live, recorded);
  return [live, recorded].map((value) => (value === undefined ? "no value" : valueText(value)));
}
