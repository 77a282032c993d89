import { expect, test } from "vitest";
import { onlyApplicationUrl } from "../../../../src/action/reports/application-url.ts";
import type { DeploymentOutcome } from "../../../../src/commands/deploy-changed.ts";
import { shopDeployment } from "../../../support/shop/shop-report.ts";

function deployed(...urls: readonly string[]): DeploymentOutcome {
  const changes = urls.map((url) => ({
    desired: { metadata: { annotations: { "vs.axis-dev.io/url": url } } },
  }));
  const outcome = { type: "deployed", plan: { changes } };
  return { type: "done", deployment: shopDeployment(), outcome } as unknown as DeploymentOutcome;
}

test.each([
  ["no deployment", [], undefined],
  ["no address", [deployed()], undefined],
  [
    "the first address of one",
    [deployed("https://a.example", "https://b.example")],
    "https://a.example",
  ],
  [
    "the same address",
    [deployed("https://a.example"), deployed("https://a.example")],
    "https://a.example",
  ],
  ["several addresses", [deployed("https://a.example"), deployed("https://b.example")], undefined],
  ["not an address", [deployed("javascript:alert(1)"), deployed("https://a b")], undefined],
])("the address of an environment: %s", (_, all, expected) => {
  expect(onlyApplicationUrl(all)).toBe(expected);
});
