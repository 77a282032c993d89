import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { checkApproval } from "../../../../src/deploying/create-planning-context.ts";
import type { ApprovedPlans } from "../../../../src/model/plan/approval.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import {
  expectDigest,
  parseExpectedPlan,
} from "../../../../src/report/plans/parse-expected-plan.ts";
import { reportJson } from "../../../../src/report/report-json.ts";
import { describeProblem } from "../../../support/describe-problem.ts";
import { problemText } from "../../../support/plan/declare.ts";
import { planOf } from "../../../support/plan/plan-text.ts";

const config = (name: string, value = "text") =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: ${value}}}\n`;
const secret = (value: string) =>
  `app/s: {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {key: ${value}}}\n`;

function plan(
  declared: string,
  before = config("a") + config("old"),
  answers: Readonly<Record<string, string>> = {},
): Plan {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const capabilities = Object.entries(answers).map(([question, answer]) => ({ question, answer }));
  const planned = planOf({ before, declared, hash, capabilities });
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
  return checkApproval(now, expected, () => false).blockers[0];
}

function difference(before: Plan, now: Plan): string | undefined {
  const problem = problemOfOtherPlan(now, approved(before));
  return problem && withoutDigests(describeProblem(problem));
}

function withoutDigests(text: string): string {
  return text.replace(/(expected|found): \w{12}/g, "$1: DIGEST").replace(/\n {2}→.*/s, "");
}

test("an approved plan is deployed", () => {
  const one = plan(config("a", "new"));
  expect(problemOfOtherPlan(one, approved(one))).toBeUndefined();
  const digest = one.digest.slice(0, 12);
  expect(problemOfOtherPlan(one, expectDigest(digest))).toBeUndefined();
});

test("a digest needs at least 8 characters", () => {
  const one = plan(config("a", "new"));
  const digest = one.digest.slice(0, 7);
  expect(problemOfOtherPlan(one, expectDigest(digest))).toBeDefined();
});

test("added, missing and different operations of another plan are reported", () => {
  const before = plan(config("a", "new") + config("b") + config("old"));
  const now = plan(config("a", "other") + config("c"));
  expect(difference(before, now)).toBe(`\
The plan differs from the expected plan
  expected: DIGEST
  found: DIGEST
  not approved: create ConfigMap shop/c
  not approved: delete ConfigMap shop/old
  not planned: create ConfigMap shop/b
  changed: update ConfigMap shop/a
  approved: +x: new
  now: +x: other
  why: The cluster or the configuration has changed`);
});

test("changed answers of the cluster are reported, also if the operations are the same", () => {
  const withAnswers = (answers: Readonly<Record<string, string>>) =>
    plan(config("a", "new"), config("a"), answers);
  const before = withAnswers({
    kubeVersion: "v1.35.2",
    "a.example/v1": "absent",
    apiVersions: "b v1",
  });
  const now = withAnswers({
    kubeVersion: "v1.35.3",
    "a.example/v1": "absent",
    apiVersions: "c v1",
  });
  expect(difference(before, now)).toBe(`\
The plan differs from the expected plan
  expected: DIGEST
  found: DIGEST
  answer of the cluster: kubeVersion v1.35.2 → v1.35.3
  answer of the cluster: apiVersions +c, -b
  why: The cluster or the configuration has changed`);
  expect(difference(plan(config("a", "new"), config("a")), now)).toContain(
    "answer of the cluster: a.example/v1 (not asked) → absent",
  );
});

test("the answers of the cluster are reported if the approved ones aren't known", () => {
  const now = plan(config("a", "new"), config("a"), { kubeVersion: "v1.35.3" });
  const byDigest = problemOfOtherPlan(now, expectDigest("0123456789abcdef"));
  expect(byDigest && describeProblem(byDigest)).toContain(
    "answer of the cluster: kubeVersion v1.35.3",
  );
  const { approvals } = approved(plan(config("a", "new"), config("a"), { kubeVersion: "v1.35.2" }));
  const inComment = {
    ...expectDigest(""),
    approvals: approvals.map((each) => ({ ...each, by: "#12" })),
  };
  const byCodes = problemOfOtherPlan(now, inComment);
  expect(byCodes && describeProblem(byCodes)).toContain(
    "answer of the cluster: kubeVersion v1.35.3",
  );
});

test("no value of a Secret is reported", () => {
  const text = difference(plan(secret("hunter2")), plan(secret("hunter3") + config("b")));
  expect(text).toContain("not approved: create ConfigMap shop/b");
  expect(text).not.toContain("hunter");
});

test("the planned operations are reported if only the digest is known", () => {
  const now = plan(config("a", "new") + config("b"));
  const problem = problemOfOtherPlan(now, expectDigest("0123456789abcdef"));
  expect(problem && withoutDigests(describeProblem(problem))).toBe(`\
The plan differs from the expected plan
  expected: DIGEST
  found: DIGEST
  planned: update ConfigMap shop/a
  planned: create ConfigMap shop/b
  planned: delete ConfigMap shop/old
  why: The cluster or the configuration has changed`);
});

test.each(["", "[]", "{}", '{"digest": null, "changes": [], "deletions": []}'])(
  "%j isn't a plan",
  (text) => {
    const parsed = parseExpectedPlan(text, "plan.json");
    expect(parsed.ok ? "" : problemText(parsed.problems)).toBe(`\
"plan.json" contains no plan of this version
  why: The preview of a deployment contains a plan only if qvs compared it with the cluster
  → Write the file again: qvs diff --format json > plan.json`);
  },
);
