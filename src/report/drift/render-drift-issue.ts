import type { Drift } from "../../model/drift.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { problemOnOneLine } from "../../model/problems/problem-text.ts";
import { code, escapeText, issueTitle, md } from "../../redaction/markdown.ts";
import { type IssueTitle, joined, type Markdown } from "../../redaction/shown.ts";
import { renderDrift } from "./drift-markdown.ts";

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
