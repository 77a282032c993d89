import { distinct, type Problem } from "../../../model/problems/problem.ts";
import { summarizeList } from "../../../model/text/closest.ts";

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
