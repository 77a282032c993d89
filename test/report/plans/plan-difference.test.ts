import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { ApprovedPlans } from "../../../src/model/approval.ts";
import type { Plan } from "../../../src/model/plan.ts";
import { expectDigest, parseExpectedPlan } from "../../../src/report/plans/expected-plan.ts";
import { reportJson } from "../../../src/report/report-json.ts";
import { checkApproved } from "../../../src/runs/check-approved.ts";
import { problemText } from "../../plan/declare.ts";
import { planOf } from "../../plan/plan-text.ts";

const config = (name: string, value = "text") =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: ${value}}}\n`;
const secret = (value: string) =>
  `app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {key: ${value}}}\n`;

function plan(declared: string, before = config("a") + config("old")): Plan {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const planned = planOf({ before, declared, hash });
  if (!planned.ok) throw new Error(problemText(planned.problems));
  return planned.value;
}

function approved(planned: Plan) {
  const deployment = { name: "shop", environment: undefined, namespace: "shop" } as never;
  const clusterState = { compared: true } as const;
  const report = { deployment, problems: [], blockers: [], clusterState, plan: planned };
  const parsed = parseExpectedPlan(JSON.stringify(reportJson(report)), "plan.json");
  if (!parsed.ok) throw new Error(problemText(parsed.problems));
  return parsed.value;
}

function problemOfOtherPlan(now: Plan, expected: ApprovedPlans) {
  return checkApproved(now, expected, () => false).blockers[0];
}

function difference(before: Plan, now: Plan): string | undefined {
  return problemOfOtherPlan(now, approved(before))?.what.replace(
    /is \w{12}, not \w{12}/,
    "is NEW, not OLD",
  );
}

test("the approved plan is carried out", () => {
  const one = plan(config("a", "new"));
  expect(problemOfOtherPlan(one, approved(one))).toBeUndefined();
  const digest = one.digest.slice(0, 12);
  expect(problemOfOtherPlan(one, expectDigest(digest))).toBeUndefined();
});

test("fewer than 8 characters of a digest are none", () => {
  const one = plan(config("a", "new"));
  const digest = one.digest.slice(0, 7);
  expect(problemOfOtherPlan(one, expectDigest(digest))).toBeDefined();
});

test("what another plan adds, leaves out and does otherwise is reported", () => {
  const before = plan(config("a", "new") + config("b") + config("old"));
  const now = plan(config("a", "other") + config("c"));
  expect(difference(before, now)).toBe(`\
The plan is NEW, not OLD as expected: the cluster or the configuration has changed
  not approved: create ConfigMap shop/c
  not approved: delete ConfigMap shop/old
  approved, but not done any more: create ConfigMap shop/b
  other content: update ConfigMap shop/a
    approved: +x: new
    now:      +x: other`);
});

test("no value of a Secret is reported", () => {
  const text = difference(plan(secret("hunter2")), plan(secret("hunter3") + config("b")));
  expect(text).toContain("not approved: create ConfigMap shop/b");
  expect(text).not.toContain("hunter");
});

test("of a digest alone, what would be done now is reported", () => {
  const now = plan(config("a", "new") + config("b"));
  const problem = problemOfOtherPlan(now, expectDigest("0123456789abcdef"));
  expect(problem?.what.replace(now.digest.slice(0, 12), "NEW")).toBe(`\
The plan is NEW, not 0123456789ab as expected: the cluster or the configuration has changed
  It would now:
    update ConfigMap shop/a
    create ConfigMap shop/b
    delete ConfigMap shop/old`);
});

test.each(["", "[]", "{}", '{"digest": null, "changes": [], "deletions": []}'])(
  "%j is no plan",
  (text) => {
    const parsed = parseExpectedPlan(text, "plan.json");
    expect(parsed.ok ? "" : problemText(parsed.problems)).toBe(`\
plan.json has no plan of this version
  → Write it with \`qvs diff --format json > plan.json\`, of a deployment that was compared with its cluster`);
  },
);
