import { type Drift, type DriftedObject, driftKinds } from "../../model/deployments/drift.ts";
import { nameOf } from "../../model/object.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { problemOnOneLine } from "../../model/problems/problem-text.ts";
import { code, escapeText, issueTitle, md, table } from "../../redaction/markdown.ts";
import { type IssueTitle, joined, type Markdown } from "../../redaction/shown.ts";
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

/** The drift of a deployment and the result of its correction. */
export interface DriftFound {
  readonly drift: Drift;
  /** The description of a correction of all drift. */
  readonly corrected?: string;
  /** The errors that blocked the correction. */
  readonly refused?: readonly Problem[];
}

/** Renders the summary of a run. */
export function renderDrifts(found: readonly DriftFound[]): Markdown {
  if (found.length === 0) return md`## Drift\n\nqvs checked no deployment.`;
  return md`## Drift\n\n${joined(found.map(renderFound), "\n\n")}`;
}

/**
 * Renders the issue of a deployment.
 * It doesn't mention the run, so the text stays the same as long as the drift does.
 */
export function renderIssue(found: DriftFound): {
  readonly title: IssueTitle;
  readonly text: Markdown;
  readonly isOpen: boolean;
} {
  const { drift, corrected } = found;
  const isOpen = drift.status === "drifted" && corrected === undefined;
  const title = issueTitle(`Drift: ${drift.deployment}`);
  const end = isOpen ? driftInstructions(drift) : md`There is no drift anymore.`;
  return { title, isOpen, text: joined([renderFound(found), end], "\n\n") };
}

function renderFound({ drift, corrected, refused = [] }: DriftFound): Markdown {
  const problems = refused.map((problem) => md`- ${escapeText(problemOnOneLine(problem))}`);
  return joined(
    [
      renderDrift(drift),
      ...(corrected === undefined ? [] : [md`Corrected: ${escapeText(corrected)}`]),
      ...(problems.length === 0 ? [] : [md`qvs couldn't correct it:\n\n${joined(problems, "\n")}`]),
    ],
    "\n\n",
  );
}

function driftInstructions({ deployment, namespace }: Drift): Markdown {
  const command = code(`qvs reconcile -d ${deployment} -n ${namespace}`);
  const annotation = code("vs.axis-dev.io/ignore-changes");
  return md`To correct the drift, run ${command}, or the workflow with ${code("reconcile: true")}. To keep the changes, commit them, or name the fields in the annotation ${annotation}. qvs updates this issue, and closes it when there is no drift.`;
}
