import { expect, test } from "vitest";
import { deployAndReport } from "../../../src/action/deploy-and-report.ts";
import type { Inputs } from "../../../src/action/inputs/inputs.ts";
import type { DeployOutcome } from "../../../src/deploying/deploy-outcome.ts";
import type { Release } from "../../../src/model/deployments/release.ts";
import type { Plan } from "../../../src/model/plan/plan.ts";
import { asStep, contextOf, stepEnvironment } from "../../support/plan/step.ts";
import { shopDeployment } from "../../support/shop/shop-report.ts";

/**
 * Runs four deployments: a newer run supersedes `a`; `b` depends on it, `c` on `b`, and `d` on
 * nothing.
 */
async function deployAll(superseded: DeployOutcome) {
  const step = stepEnvironment({}, {});
  const inputs = { comment: "never", summary: true, token: "" } as Inputs;
  const context = contextOf(step);
  const all = [
    shopDeployment({ name: "a" }),
    shopDeployment({ name: "b", dependsOn: ["a"] }),
    shopDeployment({ name: "c", dependsOn: ["b"] }),
    shopDeployment({ name: "d" }),
  ];
  const begun: string[] = [];
  const ran = await asStep(() =>
    deployAndReport(
      {
        does: "deploy",
        deployments: all,
        listed: all,
        deployOne: async (_, { name }) => {
          begun.push(name);
          return name === "a" ? superseded : succeeded;
        },
      },
      undefined,
      inputs,
      context,
    ),
  );
  const headings = step.summary().match(/^## .*$/gm);
  return { ...ran, begun, headings, summary: step.summary(), outputs: step.outputs() };
}

const plan = { changes: [], deletions: [], kept: [], notices: [] } as unknown as Plan;
const deployed = {
  type: "deployed",
  plan,
  release: { revision: 4, status: "failed" } as Release,
  isNewRelease: true,
  rollbackOf: undefined,
  previous: 3,
} as const;
const succeeded: DeployOutcome = {
  ...deployed,
  result: { succeeded: true, results: [], failures: [], stopped: undefined, stillServing: [] },
};

test("a superseded run is a success with a notice, and the newer run deploys its dependents", async () => {
  const { exitCode, log, begun, headings, summary } = await deployAll({
    ...deployed,
    result: {
      succeeded: false,
      results: [
        { key: "apps:Deployment::shop/web", outcome: "updated", detail: "not seen ready" },
        {
          key: "core:Service::shop/web",
          outcome: "not attempted",
          detail: "a newer run took over",
        },
      ],
      failures: [],
      stopped: "superseded",
      stillServing: [],
    },
    superseded: { does: "deploy", commit: "d".repeat(40), by: "https://github.com/run/7" },
  });
  expect(exitCode).toBeUndefined();
  expect(begun).toEqual(["a", "d"]);
  expect(headings).toEqual([
    "## ⏭️ Superseded a in staging, release 4: a newer run took over",
    "## ✅ Deployed d to staging as release 4",
    "## ⏭️ Superseded b in staging: a newer run took over",
    "## ⏭️ Superseded c in staging: a newer run took over",
  ]);
  expect(summary).toContain("the newer run continues from the state that this run left");
  expect(summary).not.toMatch(/to roll back to release 3/i);
  expect(log).toMatch(
    /::notice title=QVS%3A a::This run of "a" was superseded before all objects were ready.*newer run: commit d{12}/,
  );
  expect(log).not.toContain("::error");
});

test("a run that is superseded before its first change is a success too", async () => {
  const why = {
    code: "run-superseded",
    where: [],
    what: "A newer run deploys it",
    fix: "Nothing",
  } as const;
  const { exitCode, begun, headings, outputs } = await deployAll({ type: "superseded", why });
  expect(exitCode).toBeUndefined();
  expect(outputs).toMatch(/^gave-way<<.*\ntrue$/m);
  expect(begun).toEqual(["a", "d"]);
  expect(headings?.[0]).toBe("## ⏭️ Superseded a in staging: a newer run took over");
});

test("a late run doesn't block its dependents", async () => {
  const why = { code: "older-commit", where: [], what: "a is older", fix: "Nothing" } as const;
  const { begun, headings, outputs } = await deployAll({ type: "superseded", why });
  expect(begun).toEqual(["a", "d", "b", "c"]);
  expect(outputs).toMatch(/^gave-way<<.*\nfalse$/m);
  expect(headings?.[0]).toBe("## ⏭️ Skipped a in staging: a newer commit is already deployed");
});
