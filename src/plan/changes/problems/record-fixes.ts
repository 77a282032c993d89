import { distinct, type Problem } from "../../../model/problems/problem.ts";
import { summarizeList } from "../../../model/text/suggest.ts";
import type { PlanInput } from "../../plan-input.ts";

/** The record that the manifest is from, which no one can edit. */
export interface PlannedRecord {
  readonly release: number;
  /** True for a drift correction, which has other flags than a rollback. */
  readonly corrects: boolean;
}

/** Returns the record that the manifest is from; undefined if it is from a commit. */
export function plannedRecord({
  release,
  corrects,
}: PlanInput["rules"]): PlannedRecord | undefined {
  return release === undefined ? undefined : { release, corrects: corrects === true };
}

/** The reason for an action, the action, and others. */
export type ProblemFix = Pick<Problem, "why" | "fix" | "otherwise" | "inputs">;

/** Returns the fix for a value that the API server rejects. */
export function correctionFix(record: PlannedRecord | undefined): ProblemFix {
  return record === undefined
    ? { fix: "Correct the value in the adapter or in the parameter that sets it" }
    : {
        why: recordedReason(record),
        fix: "Roll back to another release",
        otherwise: ["deploy a commit with a valid value"],
      };
}

/** Returns the reason why no one can edit a value. */
export function recordedReason({ release }: PlannedRecord): string {
  return `Release ${release} recorded this value`;
}

/** The maximum number of names that a message lists. */
const maxNames = 5;

/** Combines the same problem of several objects, such as a missing namespace, into one. */
export function groupProblems(problems: readonly Problem[]): readonly Problem[] {
  const groups = Map.groupBy(problems, (problem) => {
    const said = sharedText(problem);
    if (said === undefined) return problem;
    const { subjects: _subjects, where: _where, about: _about, ...same } = problem;
    return JSON.stringify(Object.entries({ ...same, what: said }).toSorted());
  });
  return [...groups.values()].map((alike) => mergeProblems(alike as [Problem, ...Problem[]]));
}

/**
 * Returns the text after the name of the problem's only object.
 * Returns undefined if the text doesn't fit several objects.
 */
function sharedText({ subjects = [], what }: Problem): string | undefined {
  const [name = "", ...more] = subjects;
  return more.length === 0 && what.startsWith(`${name}: `) ? what.slice(name.length) : undefined;
}

function mergeProblems(alike: readonly [Problem, ...Problem[]]): Problem {
  const [first] = alike;
  if (alike.length === 1) return first;
  const subjects = [...new Set(alike.flatMap((each) => each.subjects ?? []))];
  const about = distinct(alike.flatMap((each) => each.about ?? []));
  return {
    ...first,
    subjects,
    what: `${summarizeList(subjects, maxNames)}${sharedText(first)}`,
    where: distinct(alike.flatMap((each) => each.where)),
    ...(about.length === 0 ? {} : { about }),
  };
}
