import { expect, test } from "vitest";
import { matchDeployments } from "../../../../src/commands/several/select-deployments.ts";
import { UserError } from "../../../../src/model/problems/errors.ts";
import { describeProblem } from "../../../../src/model/problems/problem-text.ts";
import { plainDeployment } from "../../../support/shop/plain-deployment.ts";

const all = ["shop-web", "shop-jobs", "billing", "docs"].map((name) => plainDeployment({ name }));

/** Returns the matching names, or the errors. */
function matching(...patterns: readonly string[]): readonly string[] {
  try {
    return matchDeployments(all, patterns).map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.problems.map((problem) => describeProblem(problem));
  }
}

test.each([
  [[], ["shop-web", "shop-jobs", "billing", "docs"]],
  [["shop-*"], ["shop-web", "shop-jobs"]],
  [
    ["docs", "shop-*", "docs"],
    ["shop-web", "shop-jobs", "docs"],
  ],
  [["{billing,docs}"], ["billing", "docs"]],
  [["*-web"], ["shop-web"]],
  [["d?cs"], ["docs"]],
  [["[bd]*"], ["billing", "docs"]],
])("%j selects %j, in the order of the list", (patterns, expected) => {
  expect(matching(...patterns)).toEqual(expected);
});

test("each pattern without a match is an error with a suggestion", () => {
  expect(matching("shp-*", "biling", "!docs", "shop-web")).toEqual([
    `error[unknown-deployment]: Pattern "shp-*" matches no deployment
  help: Did you mean "shop-*"?
  help: or choose from these: billing, docs, shop-jobs, shop-web`,
    `error[unknown-deployment]: Deployment "biling" doesn't exist
  help: Did you mean "billing"?
  help: or choose from these: billing, docs, shop-jobs, shop-web`,
    `error[unknown-deployment]: Deployment "!docs" doesn't exist
  help: Did you mean "docs"?
  help: or choose from these: billing, docs, shop-jobs, shop-web`,
  ]);
});
