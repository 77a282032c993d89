import { expect, test } from "vitest";
import {
  defaultWaitPolicy,
  invalidWaitValues,
  readWaitPolicy,
} from "../../../../src/model/plan/wait-policy.ts";

const manifest = (annotations: Readonly<Record<string, string>>) => ({
  metadata: {
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([name, value]) => [`vs.axis-dev.io/${name}`, value]),
    ),
  },
});

test("a manifest without the annotations has the default", () => {
  expect(readWaitPolicy({})).toEqual(defaultWaitPolicy);
  expect(readWaitPolicy(manifest({ wait: "true" }))).toEqual(defaultWaitPolicy);
});

test("the annotations are read", () => {
  expect(readWaitPolicy(manifest({ wait: "false", timeout: "20m", tolerate: "90s" }))).toEqual({
    isAwaited: false,
    timeoutMs: 1_200_000,
    toleratedMs: 90_000,
  });
});

test("an invalid value of an earlier release has no effect", () => {
  const invalid = manifest({ wait: "no", timeout: "20", tolerate: "soon" });
  expect(readWaitPolicy(invalid)).toEqual(defaultWaitPolicy);
});

const invalidValues: readonly (readonly [string, string, string])[] = [
  ["wait", "False", 'Did you mean "false"?; write "false"; remove the annotation'],
  ["wait", "flase", 'Did you mean "false"?; write "false"; remove the annotation'],
  ["wait", "no", 'Write "false"; remove the annotation'],
  [
    "timeout",
    "20 min",
    'Did you mean "20m"?; write a number above 0 followed by s, m or h, for example 90s or 10m; remove the annotation',
  ],
  [
    "tolerate",
    "3",
    "Write a number above 0 followed by s, m or h, for example 90s or 10m; remove the annotation",
  ],
  [
    "tolerate",
    "",
    "Write a number above 0 followed by s, m or h, for example 90s or 10m; remove the annotation",
  ],
];

test.each(invalidValues)("%s: %j is invalid", (name, value, expected) => {
  const found = invalidWaitValues(manifest({ [name]: value }));
  expect(found.map((each) => [each.name, each.value])).toEqual([[`vs.axis-dev.io/${name}`, value]]);
  expect(found.map(({ fixes }) => [fixes.fix, ...(fixes.otherwise ?? [])].join("; "))).toEqual([
    expected,
  ]);
});

test("valid values are accepted", () => {
  for (const wait of ["true", "false"]) {
    expect(invalidWaitValues(manifest({ wait, timeout: "1.5h", tolerate: "90s" }))).toEqual([]);
  }
});
