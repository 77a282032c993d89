import { expect, test } from "vitest";
import type { OutcomeReport } from "../../../src/report/outcome-report.ts";
import { missingResult, readResult, resultText } from "../../../src/report/result-file.ts";

const deployed: OutcomeReport = {
  deployment: "shop",
  environment: "production",
  revision: 8,
  rollbackOf: undefined,
  goesBack: true,
  succeeded: false,
  unchanged: false,
  stopped: "the run was cancelled",
  gaveWay: false,
  timeline: {
    began: 1_795_381_200_000,
    ended: 1_795_381_260_000,
    planned: 1_795_381_201_500,
    spans: [
      {
        key: "apps:Deployment::shop/web",
        began: 1_795_381_202_000,
        ended: 1_795_381_260_000,
        ending: "failed",
      },
    ],
  },
  notices: ["something to know"],
  waysBack: ["qvs rollback"],
  results: [{ key: "apps:Deployment::shop/web", outcome: "failed", detail: "not ready" }],
  evidence: [
    {
      key: "apps:Deployment::shop/web",
      lines: ["not ready", "password=hunter2 in a container's log"],
      publicLines: ["not ready"],
    },
  ],
  refusal: undefined,
};
const changes = { create: 1, update: 2, replace: 0, delete: 3 };

test("the last job reads the results of each job, except for container logs", () => {
  const text = resultText([{ outcome: deployed, changes, digest: "d1" }], "c0ffee");
  expect(text).not.toContain("hunter2");
  const evidence = deployed.evidence.map((each) => ({ ...each, lines: each.publicLines }));
  expect(readResult(text)).toEqual([{ outcome: { ...deployed, evidence }, changes, digest: "d1" }]);
});

test("the result of a job that never began is written and read like the others", () => {
  const missing = missingResult("shop");
  expect(readResult(resultText([missing], "c0ffee"))).toEqual([missing]);
  expect(missing.outcome.refusal).toContain("The job of shop didn't run");
});

test.each([
  ["invalid JSON", "{"],
  ["another version", JSON.stringify({ version: 2, commit: "", deployments: [] })],
  ["a list", "[]"],
  [
    "an unknown outcome",
    resultText([{ outcome: deployed, changes, digest: "" }], "").replace('"failed"', '"lost"'),
  ],
  [
    "a negative count",
    resultText([{ outcome: deployed, changes: { ...changes, create: -1 }, digest: "" }], ""),
  ],
])("%s isn't a result", (_, text) => {
  expect(readResult(text)).toBeUndefined();
});
