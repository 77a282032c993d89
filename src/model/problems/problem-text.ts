import type { Finding } from "./finding.ts";
import type { Fixes, Position, Problem } from "./problem.ts";

/**
 * The word before the code.
 * An error stops the command. A warning or a note doesn't. An annotation of its object allows an
 * allowed finding.
 */
export type Label = "error" | "warning" | "note" | "allowed";

/** One line about an error or finding, with its role. A fact can have several lines. */
export interface ProblemLine {
  readonly part: "title" | "place" | "fact" | "help" | "paste";
  readonly text: string;
  /** Set for the line of a place. */
  readonly position?: Position;
}

/** The fields that errors and findings have in common. */
export type ProblemOrFinding = Pick<Problem, "where" | "what" | "fix"> & {
  readonly code: string;
  readonly why?: string | undefined;
  readonly facts?: Problem["facts"];
  readonly otherwise?: Problem["otherwise"];
  readonly paste?: readonly string[] | undefined;
};

/**
 * Returns the lines that show a problem in a log or on a terminal, in the form of cargo's messages:
 *
 * ```text
 * error[field-conflict]: Deployment shop/web: spec.replicas is owned by another field manager
 *   --> adapters/web/main.cue:7:55
 *   cluster:  5
 *   manifest: 3
 *   help: Remove spec.replicas from the manifest
 *   help: or overwrite it: qvs deploy --takeover kube-controller-manager
 * ```
 */
export function problemLines(problem: ProblemOrFinding, label: Label): readonly ProblemLine[] {
  const { code, what, where, why = "", facts = [], fix, otherwise = [], paste = [] } = problem;
  const width = Math.max(0, ...facts.map((fact) => fact.label.length));
  const shown = facts.map((fact) => `  ${`${fact.label}:`.padEnd(width + 1)} ${fact.value}`);
  return [
    { part: "title", text: `${label}[${code}]: ${what}` },
    ...where.map(
      (position): ProblemLine => ({
        part: "place",
        text: `  --> ${formatPosition(position)}`,
        position,
      }),
    ),
    ...toProblemLines("fact", shown),
    ...(why === "" ? [] : toProblemLines("fact", [`  why: ${why}`])),
    ...(fix === "" ? [] : toProblemLines("help", [`  help: ${fix}`])),
    ...toProblemLines(
      "paste",
      paste.map((line) => `          ${line}`),
    ),
    ...toProblemLines(
      "help",
      otherwise.map((other) => `  help: or ${other}`),
    ),
  ];
}

function toProblemLines(
  part: ProblemLine["part"],
  texts: readonly string[],
): readonly ProblemLine[] {
  return texts.map((text) => ({ part, text }));
}

/** Returns the label of a finding: its severity, unless an annotation allows it. */
export function findingLabel({ severity, allowed }: Finding): Label {
  return allowed === undefined ? severity : "allowed";
}

/** Returns the lines of an error or finding as one string. */
export function describeProblem(problem: ProblemOrFinding, label: Label = "error"): string {
  return problemLines(problem, label)
    .map(({ text }) => text)
    .join("\n");
}

/** Returns place, fact, cause, values and fixes on one line, for a list or a field of a log. */
export function problemOnOneLine(problem: ProblemOrFinding): string {
  const { where, fix, otherwise } = problem;
  const [place] = where;
  const start = place === undefined ? "" : `${formatPosition(place)}: `;
  const fixes = fix === "" ? [] : listFixes({ fix, otherwise });
  return `${start}${[problemDetails(problem), ...fixes].join("; ")}`;
}

/** Returns fact, cause and values on one line, without place and fixes. */
export function problemDetails({ what, why = "", facts = [] }: ProblemOrFinding): string {
  const values = facts.map(({ label, value }) => `${label}: ${value}`);
  return [what, ...(why === "" ? [] : [why]), ...values].join("; ");
}

/**
 * Returns the lines of an error for a user of a workflow.
 * They name the inputs that have the effect of the flags in the fixes.
 */
export function describeForGitHub(problem: Problem, label: Label = "error"): string {
  const where = problem.where.map(toInputPosition);
  return [describeProblem({ ...problem, where }, label), ...inputLines(problem)].join("\n");
}

/** Returns several errors, with an empty line between them. */
export function describeAllForGitHub(problems: readonly Problem[]): string {
  return problems.map((problem) => describeForGitHub(problem)).join("\n\n");
}

/** Renames `--param NAME=VALUE` to the input that passes it on GitHub. */
function toInputPosition({ file, ...place }: Position): Position {
  return { ...place, file: file.replace(/^--(\S+) /, "input $1, ") };
}

/** Returns the fix and the other fixes, one per line. */
export function listFixes({ fix, otherwise = [] }: Fixes): readonly string[] {
  return [fix, ...otherwise.map((other) => `or ${other}`)];
}

/** Returns one line for each input that has the effect of a flag in the fixes. */
export function inputLines({ inputs = [] }: Pick<Problem, "inputs">): readonly string[] {
  return inputs.map((input) => {
    const flag = `--${input.replace(/:.*/s, "")}`;
    return `  help: on GitHub, set ${input} under with: instead of ${flag}`;
  });
}

export function formatPosition({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
