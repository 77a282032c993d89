import type { Problem } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";

/** As many names as a reader needs to see what it is about. */
const mostNames = 5;

/** What is said of several objects in the same words, such as that their namespace does not exist, is said once of all of them. */
export function groupProblems(problems: readonly Problem[]): readonly Problem[] {
  const groups = Map.groupBy(problems, (problem) => {
    const { code, subject = "", what, fix } = problem;
    return subject === "" ? problem : JSON.stringify([code, what.slice(subject.length), fix]);
  });
  return [...groups.values()].map((alike) => {
    const [{ code, subject = "", what, fix, paste, where }] = alike as [Problem];
    const about = alike.flatMap((each) => each.about ?? []);
    const fields = about.length === 0 ? {} : { about };
    if (alike.length === 1) return { code, what, fix, where, ...(paste && { paste }), ...fields };
    const names = alike.map((problem) => problem.subject ?? "");
    const said = what.slice(subject.length);
    return {
      code,
      what: `${listed(names, mostNames)}${said}`,
      fix,
      where: alike.flatMap((each) => each.where),
      ...fields,
    };
  });
}
