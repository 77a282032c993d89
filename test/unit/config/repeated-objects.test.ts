import { expect, test } from "vitest";
import { reportRepeated } from "../../../src/config/bind-config.ts";
import type { Problem } from "../../../src/model/problems/problem.ts";
import type { ObjectInput } from "../../../src/model/sources/config.ts";

const where = { file: "a.cue", line: 1, column: 1 };

/** Returns the fixes for two objects with one id, of an entry or of a chart of an adapter. */
function fixes(replaces: Pick<ObjectInput, "replaces">): readonly string[] {
  const objects = ["a.example/v1", "b.example/v1"].map((apiVersion) => ({
    ...{ id: "thing/a", where, places: [] },
    object: { apiVersion, kind: "Thing", metadata: { name: "a" } },
  }));
  const input = {
    title: "",
    stage: "app",
    group: undefined,
    where,
    files: [],
    params: [],
  } as const;
  const problems: Problem[] = [];
  reportRepeated([{ ...input, objects, ...replaces }], problems);
  return problems.flatMap(({ fix, otherwise = [] }) => [fix, ...otherwise]);
}

test("two objects of an entry with one id need two entries", () => {
  expect(fixes({})).toEqual(['Move one of the two to an entry of its own, with a "group"']);
});

test("two objects of a chart of an adapter with one id have no entry", () => {
  const replaces = { stage: "app", id: "web", dependsOn: [], content: {} } as const;
  expect(fixes({ replaces })).toEqual([
    "Turn off one of the two in the values of the chart",
    "give the resource of the chart another group in its id, such as GROUP/NAME",
  ]);
});
