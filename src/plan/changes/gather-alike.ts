import { listed } from "../../model/listed.ts";
import type { Problem } from "../../model/problem.ts";

/** A problem of one object; `what` begins with its name. */
export interface ObjectProblem extends Problem {
  readonly subject?: string | undefined;
}

/** As many names as a reader needs to see what it is about. */
const mostNames = 5;

/** What is said of several objects in the same words, such as that their namespace does not exist, is said once of all of them. */
export function gatherAlike(problems: readonly ObjectProblem[]): readonly Problem[] {
  const groups = Map.groupBy(problems, (problem) => {
    const { subject = "", what, fix } = problem;
    return subject === "" ? problem : JSON.stringify([what.slice(subject.length), fix]);
  });
  return [...groups.values()].map((alike) => {
    const [{ subject = "", what, fix, where }] = alike as [ObjectProblem];
    if (alike.length === 1) return { what, fix, where };
    const names = alike.map((problem) => problem.subject ?? "");
    const said = what.slice(subject.length);
    return {
      what: `${listed(names, mostNames)}${said}`,
      fix,
      where: alike.flatMap((each) => each.where),
    };
  });
}
