import { type Drift, type DriftedObject, driftKinds } from "../../model/drift.ts";
import { nameOf } from "../../model/object.ts";
import { describeProblem } from "../../model/problems/errors.ts";
import { code, escapeText, md, table } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";
import { driftInWords, fieldInWords, notesOf, notesOn } from "./drift-text.ts";

/** Longer lists don't help a reader, and an issue has only 65,536 characters. */
const mostObjects = 100;
const mostFields = 10;

/**
 * Renders the drift for an issue or a job's summary. The text stays the same as long as the drift
 * does.
 */
export function renderDrift(drift: Drift): Markdown {
  const { objects, blockers } = drift;
  const shown = driftKinds.flatMap((kind) => objects.filter((each) => each.kind === kind));
  const more = shown.length - mostObjects;
  const parts = [
    md`**${escapeText(driftInWords(drift))}**`,
    ...(objects.length === 0 ? [] : [objectsTable(shown.slice(0, mostObjects))]),
    ...(more <= 0 ? [] : [md`… and ${more} more`]),
    ...(blockers.length === 0
      ? []
      : [
          drift.status === "drifted" ? md`A correction would be refused:` : md`Why:`,
          joined(
            blockers.map((problem) => md`- ${escapeText(describeProblem(problem))}`),
            "\n",
          ),
        ]),
    ...notesOf(drift).map(escapeText),
  ];
  return joined(parts, "\n\n");
}

function objectsTable(objects: readonly DriftedObject[]): Markdown {
  const rows = objects.map((object) => [
    escapeText(object.kind),
    code(nameOf(object.id)),
    fieldsOf(object),
  ]);
  return table([md`Drift`, md`Object`, md`What`], rows);
}

function fieldsOf(object: DriftedObject): Markdown {
  const { fields, kind } = object;
  const more = fields.length - mostFields;
  const lines = [
    ...notesOn(object, undefined).map(escapeText),
    ...fields.slice(0, mostFields).map((field) => code(fieldInWords(field, kind, undefined))),
    ...(more <= 0 ? [] : [md`… and ${more} more`]),
  ];
  return joined(lines, "<br>");
}
