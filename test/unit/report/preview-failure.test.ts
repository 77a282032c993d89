import { expect, test } from "vitest";
import type { AffectedSide, Finding } from "../../../src/model/problems/finding.ts";
import { failingFindings, isFailOnTriggered } from "../../../src/report/preview-failure.ts";
import { shopReport } from "../../support/shop/shop-report.ts";

function findingAbout(...affects: readonly AffectedSide[]): Finding {
  return {
    code: "removed-api",
    severity: "warning",
    object: { apiVersion: "a/v1beta1", kind: "A", namespace: "shop", name: "web" },
    ...{ what: "A shop/web: removed", why: "", fix: "Declare a/v1", where: [] },
    upgrade: { version: "1.37", since: "removed in Kubernetes 1.37", affects },
  };
}

test.each([
  [["deployed"], false],
  [["deployed", "change"], true],
  [["change"], true],
] as const)("a finding that affects %j fails the preview: %s", (affects, isFailing) => {
  const finding = findingAbout(...affects);
  const report = shopReport({ findings: [finding] });
  for (const word of ["removed-api", "warning"] as const) {
    expect(isFailOnTriggered(report, [word])).toBe(isFailing);
    expect(failingFindings(report, [word])).toEqual(isFailing ? [finding] : []);
  }
});
