import { expect, test } from "vitest";
import { renderAwaitedApprovals } from "../../../../src/report/queries/awaited-approvals.ts";

/** Returns the link to a pull request, without a reference that GitHub would follow. */
function pull(number: number): string {
  return `[#<!-- -->${number}](https://github.com/acme/shop/pull/${number})`;
}

test("reviewers of environments get links to the plans", () => {
  const awaited = [
    { name: "shop-prod", environment: "production", reviewedIn: ["#12", "#13"] },
    { name: "pay", environment: "a|b @eve", reviewedIn: [] },
    { name: "cart", environment: "production", reviewedIn: ["a manual digest"] },
  ];
  const text = renderAwaitedApprovals(awaited, "https://github.com/acme/shop");
  expect(text.split("\n").slice(4)).toEqual([
    "| Deployment | Environment | Plan in the comment on |",
    "| --- | --- | --- |",
    `| shop-prod | production | ${pull(12)}, ${pull(13)} |`,
    "| pay | a&#124;b @<!-- -->eve | none found |",
    "| cart | production | a manual digest |",
  ]);
});
