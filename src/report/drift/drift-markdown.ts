import { type Drift, type DriftedObject, driftKinds } from "../../model/drift.ts";
import { nameOf } from "../../model/object.ts";
import { problemOnOneLine } from "../../model/problems/problem-text.ts";
import { code, escapeText, md, table } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import {
  describeDriftedObject,
  driftedFieldText,
  driftSentence,
  shownNotes,
} from "./drift-text.ts";

/** Longer lists don't help a reader, and an issue has only 65,536 characters. */
const maxObjects = 100;
const maxFields = 10;

/**
 * Renders the drift for an issue or a job's summary. The text stays the same as long as the drift
 * does.
 */
export function renderDrift(drift: Drift): Markdown {
  const { objects, blockers } = drift;
  const shown = driftKinds.flatMap((kind) => objects.filter((each) => each.kind === kind));
  const more = shown.length - maxObjects;
  const parts = [
    md`**${escapeText(driftSentence(drift))}**`,
    ...(objects.length === 0 ? [] : [objectsTable(shown.slice(0, maxObjects))]),
    ...(more <= 0 ? [] : [md`… and ${more} more`]),
    ...(blockers.length === 0
      ? []
      : [
          drift.status === "drifted" ? md`A correction would be blocked:` : md`Why:`,
          joined(
            blockers.map((problem) => md`- ${escapeText(problemOnOneLine(problem))}`),
            "\n",
          ),
        ]),
    ...shownNotes(drift).map(escapeText),
  ];
  return joined(parts, "\n\n");
}

function objectsTable(objects: readonly DriftedObject[]): Markdown {
  const rows = objects.map((object) => [
    escapeText(object.kind),
    code(nameOf(object.id)),
    renderDriftedFields(object),
  ]);
  return table([md`Drift`, md`Object`, md`Details`], rows);
}

function renderDriftedFields(object: DriftedObject): Markdown {
  const { fields, kind } = object;
  const more = fields.length - maxFields;
  const lines = [
    ...describeDriftedObject(object, undefined).map(escapeText),
    ...fields.slice(0, maxFields).map((field) => code(driftedFieldText(field, kind, undefined))),
    ...(more <= 0 ? [] : [md`… and ${more} more`]),
  ];
  return joined(lines, "<br>");
}
