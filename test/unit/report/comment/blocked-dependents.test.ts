import { describe, expect, test } from "vitest";
import type { Finding } from "../../../../src/model/problems/finding.ts";
import { phraseToText } from "../../../../src/redaction/phrase.ts";
import type { DeploymentReport } from "../../../../src/report/comment/comment-input.ts";
import { isHeldBack } from "../../../../src/report/comment/deployment-section.ts";
import { buildSections, verdictLevel } from "../../../../src/report/comment/level.ts";
import { describeMerge } from "../../../../src/report/comment/render-section.ts";
import { describeRisksBriefly } from "../../../../src/report/comment/risks.ts";
import { reviewDeployment } from "../../../../src/report/review/build-review.ts";
import { reportOf } from "../../../support/report/report-of.ts";

const web = (image: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: "${image}"}]}}}
`;

const blocker = { code: "field-conflict", what: "conflict", fix: "", where: [] } as const;
const frozen = { code: "deployments-frozen", what: "frozen", fix: "", where: [] } as const;
const error: Finding = {
  ...({ code: "never-fits", severity: "error", what: "no place" } as const),
  ...{ why: "", fix: "", where: [] },
  object: { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" },
};

function named(name: string, more: Partial<DeploymentReport> = {}): DeploymentReport {
  const report = reportOf({ base: web("a:1"), head: web("a:2") }, more);
  return { ...report, deployment: { ...report.deployment, name } };
}

function sections(...reports: readonly DeploymentReport[]) {
  const all = buildSections(reports.map(reviewDeployment));
  return new Map(all.map((section) => [section.name, section]));
}

describe("dependents are blocked by a deployment that", () => {
  const plan = named("x").plan as NonNullable<DeploymentReport["plan"]>;
  test.each<[string, Partial<DeploymentReport>, boolean]>([
    ["is blocked", { blockers: [blocker] }, true],
    ["doesn't compile", { problems: [blocker] }, true],
    ["fails during its rollout", { findings: [error] }, true],
    ["is frozen", { plan: { ...plan, notices: [frozen] } }, true],
    ["has a warning", { findings: [{ ...error, severity: "warning" }] }, false],
    ["has no finding", {}, false],
  ])("%s", (_, more, expected) => {
    const found = sections(named("first", more), named("second", { waitsFor: ["first"] }));
    const second = found.get("second");
    expect(second && isHeldBack(second)).toBe(expected);
    expect(second && verdictLevel(second)).toBe(expected ? "held" : "change");
    expect(found.get("first")?.holdsBack).toEqual(expected ? ["second"] : []);
  });
});

test("dependents of another deployment continue", () => {
  const found = sections(
    named("first", { blockers: [blocker] }),
    named("other", { waitsFor: ["elsewhere"] }),
  );
  const other = found.get("other");
  expect(other && verdictLevel(other)).toBe("change");
  const first = found.get("first");
  expect(first && phraseToText(describeMerge(first) ?? [])).toMatch(
    / The other deployments continue\.$/,
  );
});

test("the comment predicts nothing for deployments that depend on each other", () => {
  const found = sections(
    named("first", { blockers: [blocker] }),
    named("a"),
    named("b", { waitsFor: ["a"] }),
  );
  const first = found.get("first");
  expect(first && phraseToText(describeMerge(first) ?? [])).toMatch(
    /namespace shop \(environment staging\)\. Nothing changes there\.$/,
  );
});

test("removed deployments aren't deleted if any deployment would fail", () => {
  const found = sections(
    named("first", { blockers: [blocker] }),
    named("gone", { removal: "delete" }),
  );
  const removed = found.get("gone");
  expect(removed && verdictLevel(removed)).toBe("risk");
  expect(removed && phraseToText(describeRisksBriefly(removed))).toContain(
    "not deleted\nwaits for first",
  );
  expect(removed && phraseToText(describeMerge(removed) ?? [])).toBe(
    "If you merge, qvs won't delete this deployment from namespace shop (environment staging). qvs deletes a removed deployment after it has deployed all others, but first won't succeed.",
  );
});
