import { expect, test } from "vitest";
import { deployAndReport } from "../../../src/action/deploy-and-report.ts";
import type { Inputs } from "../../../src/action/inputs/inputs.ts";
import { userError } from "../../../src/model/problems/errors.ts";
import { asStep, contextOf, stepEnvironment } from "../../support/plan/step.ts";
import { shopDeployment } from "../../support/shop/shop-report.ts";

test.each([
  ["deploy", "🛑 Failed to deploy a to staging"],
  ["rollback", "🛑 Failed to roll back a in staging"],
] as const)("a bug in one %s is thrown after the others are reported", async (does, headline) => {
  const step = stepEnvironment({}, {});
  const inputs = { comment: "never", summary: true, token: "" } as Inputs;
  const context = contextOf(step);
  const bug = new TypeError("undefined is not a function");
  const all = ["a", "b"].map((name) => shopDeployment({ name }));
  const { exitCode, log } = await asStep(async () => {
    const work = deployAndReport(
      {
        does,
        deployments: all,
        listed: all,
        deployOne: async (_, { name }) => {
          throw name === "a" ? bug : userError("invalid-input", "no quota", "Ask for more");
        },
      },
      undefined,
      inputs,
      context,
    );
    await expect(work).rejects.toBe(bug);
  });
  expect(exitCode).toBe(1);
  expect(step.summary()).toContain(headline);
  expect(step.summary()).toContain("no quota");
  expect(step.outputs()).toContain("release");
  expect(log).toContain("::error title=QVS%3A b::no quota");
});
