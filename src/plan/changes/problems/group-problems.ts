import { distinct, type Problem } from "../../../model/problems/problem.ts";
import { listed } from "../../../model/text/closest.ts";

/** As many names as a reader needs to see what it is about. */
const mostNames = 5;

/** What is said of several objects in the same words, such as that their namespace does not exist, is said once of all of them. */
export function groupProblems(problems: readonly Problem[]): readonly Problem[] {
  const groups = Map.groupBy(problems, (problem) => {
    const said = saidOf(problem);
    return said === undefined
      ? problem
      : JSON.stringify([problem.code, said, problem.why, problem.facts, problem.fix]);
  });
  return [...groups.values()].map((alike) => together(alike as [Problem, ...Problem[]]));
}

/** What follows the name of its only object; undefined where that is no sentence of several. */
function saidOf({ subjects = [], what }: Problem): string | undefined {
  const [name = "", ...more] = subjects;
  return more.length === 0 && what.startsWith(`${name}: `) ? what.slice(name.length) : undefined;
}

function together(alike: readonly [Problem, ...Problem[]]): Problem {
  const [first] = alike;
  if (alike.length === 1) return first;
  const subjects = [...new Set(alike.flatMap((each) => each.subjects ?? []))];
  const about = distinct(alike.flatMap((each) => each.about ?? []));
  return {
    ...first,
    subjects,
    what: `${listed(subjects, mostNames)}${saidOf(first)}`,
    where: distinct(alike.flatMap((each) => each.where)),
    ...(about.length === 0 ? {} : { about }),
  };
}
