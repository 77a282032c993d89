import { expect, test } from "vitest";
import type { Problem } from "../../../../../src/model/problems/problem.ts";
import { groupProblems } from "../../../../../src/plan/changes/problems/record-fixes.ts";

function problem(subject: string | undefined, message: string, fix: string, line = 1): Problem {
  const where = [{ file: "main.cue", line, column: 1 }];
  const subjects = subject === undefined ? undefined : [subject];
  return { code: "invalid-object", subjects, what: `${subject ?? "It"}: ${message}`, fix, where };
}

function texts(problems: readonly Problem[]): readonly string[] {
  return groupProblems(problems).map(({ what, fix, where }) => {
    return `${where.map(({ line }) => line).join(" ")}: ${what} → ${fix}`;
  });
}

test("an error that several objects share is reported once, with all places", () => {
  const missing = 'namespaces "shop" not found';
  expect(
    texts([
      problem("ConfigMap a", missing, "Create it", 1),
      problem("Deployment b", "no such field", "Correct it", 2),
      problem("Service c", missing, "Create it", 3),
    ]),
  ).toEqual([
    `1 3: ConfigMap a, Service c: ${missing} → Create it`,
    "2: Deployment b: no such field → Correct it",
  ]);
});

test("an error names at most five objects", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  expect(texts(names.map((name) => problem(`Secret ${name}`, "no", "Say yes")))).toEqual([
    "1: Secret a, Secret b, Secret c, Secret d, Secret e and 2 more: no → Say yes",
  ]);
});

test("a duplicate error of one object is reported once, with each place once", () => {
  expect(
    texts([problem("Secret a", "no", "Say yes"), problem("Secret a", "no", "Say yes")]),
  ).toEqual(["1: Secret a: no → Say yes"]);
});

test("an error with another fix or without an object is separate", () => {
  const problems = [
    problem("Secret a", "no", "Say yes"),
    problem("Secret b", "no", "Say no"),
    problem(undefined, "no", "Say no"),
    problem(undefined, "no", "Say no"),
  ];
  expect(texts(problems)).toHaveLength(4);
  expect(groupProblems(problems)[0]).toEqual({
    code: "invalid-object",
    subjects: ["Secret a"],
    what: "Secret a: no",
    fix: "Say yes",
    where: problems[0]?.where,
  });
});
