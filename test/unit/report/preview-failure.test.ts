import { expect, test } from "vitest";
import { describePreview } from "../../../src/action/plan-pull-request.ts";
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

test("a version with other content fails the preview as a warning", () => {
  const version = { from: "https://charts.example", version: "1.0.0", pinned: "sha256:a" };
  const where = { file: "qvs.lock", line: 4, column: 5 };
  const moved = { type: "chart", name: "redis", before: version, where } as const;
  const replaced = { ...moved, after: { ...version, pinned: "sha256:b" } };
  const report = shopReport({ sources: [replaced] });
  expect(isFailOnTriggered(report, ["warning"])).toBe(true);
  expect(isFailOnTriggered(report, ["error"])).toBe(false);
  expect(describePreview(report, ["error"], "").annotations.warning).toMatchObject([
    { code: "version-replaced", where: [where] },
  ]);
  expect(describePreview(report, ["warning"], "").annotations.error).toMatchObject([
    { code: "version-replaced" },
  ]);
  const updated = { ...moved, after: { ...version, version: "1.1.0", pinned: "sha256:b" } };
  expect(isFailOnTriggered(shopReport({ sources: [updated] }), ["warning"])).toBe(false);
});
