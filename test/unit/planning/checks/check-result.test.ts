import { expect, test } from "vitest";
import { type Problem, resourceFields } from "../../../../src/model/problems/problem.ts";
import {
  unreportedWarnings,
  withCompileFixes,
} from "../../../../src/planning/checks/check-result.ts";

function about(resource: string, fields: readonly string[], rest: Partial<Problem> = {}): Problem {
  const known = { about: resourceFields({ stage: "app", resource }, fields) };
  return { code: "unknown-field", where: [], what: "…", fix: "…", ...known, ...rest };
}

const line = (number: number) => [{ file: "web.cue", line: number, column: 1 }];
const replica = about("web", ["spec.replica"], { where: line(7), fix: 'Did you mean "replicas"?' });
const image = about("web", ["spec.image"], { where: line(9), fix: "Remove it" });
const uncertain: Problem = { code: "unknown-field", where: line(1), what: "a doubt", fix: "…" };

test.each<[string, readonly Problem[], readonly string[], number]>([
  ["one field", [about("web", ["spec.replica"])], ['7: Did you mean "replicas"?'], 2],
  [
    "two fields that the server names in one sentence",
    [about("web", ["spec.replica", "spec.image"])],
    ['7, 9: Did you mean "replicas"?; Remove it'],
    1,
  ],
  ["the same field of another resource", [about("db", ["spec.replica"])], [": …"], 3],
  ["another field", [about("web", ["spec.replicas"])], [": …"], 3],
  ["problems without a field", [{ ...uncertain, where: [] }], [": …"], 3],
])("%s", (_, blockers, fixes, warnings) => {
  const known = [replica, image, uncertain];
  const fixed = withCompileFixes(blockers, known);
  expect(
    fixed.map(({ where, fix }) => `${where.map((each) => each.line).join(", ")}: ${fix}`),
  ).toEqual(fixes);
  expect(unreportedWarnings(blockers, known)).toHaveLength(warnings);
});
