import { expect, test } from "vitest";
import { describeCounts, renderSeveralSummary } from "../../../src/report/several-summary.ts";

test("the summary has a row for each deployment, and the numbers by outcome", () => {
  const done = { group: "deployed", tone: "added" } as const;
  const rows = [
    {
      ...done,
      deployment: "web",
      outcome: "release 4 succeeded",
      changes: "2 created",
      milliseconds: 61_500,
    },
    { ...done, deployment: "docs", outcome: "release 2 succeeded", changes: "", milliseconds: 900 },
    {
      ...{
        deployment: "jobs",
        group: "skipped",
        outcome: 'skipped: it depends on "db", which failed',
      },
      ...{ changes: "", milliseconds: undefined, tone: "changed" as const },
    },
  ];
  expect(
    renderSeveralSummary(rows),
  ).toBe(`DEPLOYMENT  OUTCOME                                    CHANGES    TIME
web         release 4 succeeded                        2 created  1m 01s
docs        release 2 succeeded                                   0s
jobs        skipped: it depends on "db", which failed
3 deployments: 2 deployed, 1 skipped
`);
});

test("a name can't write to the terminal", () => {
  const row = {
    deployment: "a\u001b[2Jb",
    group: "deployed",
    outcome: "x",
    changes: "",
    milliseconds: 0,
  };
  expect(renderSeveralSummary([{ ...row, tone: "added" }])).not.toContain("\u001b");
});

test("counts are named by action", () => {
  expect(describeCounts({ create: 2, update: 0, replace: 1, delete: 3 })).toBe(
    "2 to create, 1 to replace, 3 to delete",
  );
  expect(describeCounts({ create: 0, update: 0, replace: 0, delete: 0 })).toBe("");
});
