import { expect, test } from "vitest";
import {
  driftNotification,
  failedRunNotification,
  missingNotification,
  outcomeNotifications,
  previewNotifications,
} from "../../../../src/action/notifications/create-notifications.ts";
import { toOutcomeReport } from "../../../../src/action/reports/report-outcomes.ts";
import type { DeploymentOutcome } from "../../../../src/commands/several/deploy-changed.ts";
import type { Drift } from "../../../../src/model/deployments/drift.ts";
import { userError } from "../../../../src/model/problems/errors.ts";
import type { Finding } from "../../../../src/model/problems/finding.ts";
import { cdEvent } from "../../../../src/report/notifications/cd-event.ts";
import type { Notification } from "../../../../src/report/notifications/notification.ts";
import { missingResult, supersededResult } from "../../../../src/report/result-file.ts";
import { reviewDeployment } from "../../../../src/report/review/build-review.ts";
import { shopDeployment, shopPlan, shopReport } from "../../../support/shop/shop-report.ts";

const deployment = shopDeployment({ name: "shop", environment: undefined });
const problem = { code: "not-ready", where: [], what: "x", fix: "y" } as const;
const superseded = { ...problem, code: "run-superseded" } as const;

function releaseOf(revision: number, rollbackOf?: number) {
  return { revision, rollbackOf, source: { commit: "c0ffee" } };
}

/** Returns the outcome of a run that applied a plan. */
function applied(result: object, more: object = {}): DeploymentOutcome {
  const whole = { succeeded: true, results: [], failures: [], stopped: undefined, ...result };
  const outcome = {
    ...{ type: "deployed", plan: shopPlan(), release: releaseOf(4) },
    ...{ isNewRelease: true, rollbackOf: undefined, previous: 3, result: whole, ...more },
  };
  return { type: "done", deployment, outcome } as unknown as DeploymentOutcome;
}

const failure = {
  key: "k",
  name: "n",
  code: "not-ready",
  what: "x",
  fix: "y",
  evidence: undefined,
};
const failed = { succeeded: false, failures: [failure] };
const back = {
  ...{ plan: shopPlan(), release: releaseOf(5, 3) },
  ...{ isNewRelease: true, result: { succeeded: true, results: [], failures: [] } },
};

/** Returns a notification as one line. */
function lineOf(each: Notification): string {
  const { kind, outcome, result, effect = "-", release = "-", errors = [] } = each;
  return [kind, outcome, result, effect, release, ...errors].join(" ");
}

function linesOf(outcome: DeploymentOutcome, does: "deploy" | "rollback" = "deploy") {
  const reported = [{ outcome, report: toOutcomeReport(outcome, does) }];
  return outcomeNotifications(reported, does, "c0ffee").map(lineOf);
}

test.each<[name: string, outcome: DeploymentOutcome, lines: readonly string[]]>([
  ["a first release", applied({}, { isFirst: true }), ["deploy deployed success deployed 4"]],
  ["a later release", applied({}), ["deploy deployed success upgraded 4"]],
  ["no change", applied({}, { isNewRelease: false }), ["deploy no-change success - 4"]],
  ["a failure", applied(failed), ["deploy failed failure - 4 not-ready"]],
  [
    "a cancellation",
    applied({ succeeded: false, stopped: "cancelled" }),
    ["deploy canceled cancel - 4"],
  ],
  [
    "a newer run during the rollout",
    applied(
      { succeeded: false, stopped: "superseded" },
      { superseded: { does: "deploy", commit: "c", by: "x" } },
    ),
    ["deploy superseded cancel - 4"],
  ],
  [
    "a failure with a rollback",
    applied(failed, { wentBack: { type: "went back", to: 3, outcome: back } }),
    ["deploy failed failure - 4 not-ready", "rollback deployed success rolledback 5"],
  ],
  [
    "a failure with a failed rollback",
    applied(failed, {
      wentBack: {
        type: "went back",
        to: 3,
        outcome: { ...back, result: { ...back.result, succeeded: false } },
      },
    }),
    ["deploy failed failure - 4 not-ready"],
  ],
  [
    "errors before the first change",
    { type: "refused", deployment, problems: [problem, problem] },
    ["deploy failed failure - - not-ready"],
  ],
  ["a bug", { type: "broken", deployment, error: new Error("x") }, ["deploy failed error - -"]],
  [
    "a newer run before it",
    { type: "done", deployment, outcome: { type: "superseded", why: superseded } },
    ["deploy superseded cancel - -"],
  ],
  [
    "a deletion",
    { ...applied({}), deletes: true } as DeploymentOutcome,
    ["delete deleted success removed 4"],
  ],
  [
    "a failed deletion",
    { ...applied(failed), deletes: true } as DeploymentOutcome,
    ["delete failed failure - 4 not-ready"],
  ],
  [
    "nothing left to delete",
    { type: "nothing left", deployment },
    ["delete no-change success - -"],
  ],
  [
    "a removed deployment that stays",
    { type: "not deleted", deployment, why: problem },
    ["delete no-change success - - not-ready"],
  ],
])("the notification about %s", (_, outcome, lines) => {
  expect(linesOf(outcome)).toEqual(lines);
});

test("a rollback restores the commit of its release", () => {
  const release = { ...releaseOf(5), source: { commit: "01d" } };
  const outcome = applied({}, { release, rollbackOf: 3 });
  expect(linesOf(outcome, "rollback")).toEqual(["rollback deployed success rolledback 5"]);
  const reported = [{ outcome, report: toOutcomeReport(outcome, "rollback") }];
  expect(outcomeNotifications(reported, "rollback", "c0ffee")[0]).toMatchObject({
    commit: "01d",
    rollbackOf: 3,
  });
});

test("a preview has the outcome and the findings, without texts", () => {
  const finding: Finding = {
    code: "never-fits",
    severity: "error",
    object: { apiVersion: "apps/v1", kind: "Deployment", namespace: "a", name: "b" },
    what: "secret words",
    why: "",
    fix: "z",
    where: [],
  };
  const report = shopReport({ findings: [finding] });
  const previews = [{ review: reviewDeployment(report), failed: true }];
  const [one] = previewNotifications({ previews, headCommit: "abc", pullRequest: 7 });
  expect(one).toMatchObject({
    ...{ kind: "preview", outcome: "blocked", result: "failure", commit: "abc", pullRequest: 7 },
    findings: [{ code: "never-fits", severity: "error" }],
  });
  expect(JSON.stringify(one?.findings)).not.toContain("secret words");
});

test("a preview without a list of deployments is one notification", () => {
  const previewProblems = [{ ...problem, code: "invalid-input" } as const];
  const all = previewNotifications({ previews: [], previewProblems, headCommit: "abc" });
  expect(all.map(lineOf)).toEqual(["preview blocked failure - - invalid-input"]);
});

test.each([
  ["clean", {}, "drift clean success - 4"],
  ["drifted", {}, "drift drifted success - 4"],
  ["unknown", { blockers: [problem] }, "drift unknown failure - 4 not-ready"],
] as const)("drift that is %s", (status, more, line) => {
  const drift = { status, release: 4, objects: [], blockers: [], findings: [], ...more };
  expect(lineOf(driftNotification(deployment, { drift: drift as unknown as Drift }, "c"))).toBe(
    line,
  );
});

test("drift that was corrected, or couldn't be", () => {
  const drift = { status: "drifted", release: 4, objects: [{}], blockers: [], findings: [] };
  const found = { drift: drift as unknown as Drift };
  const lines = [{ corrected: "Corrected" }, { refused: [problem] }].map((more) =>
    lineOf(driftNotification(deployment, { ...found, ...more }, "c")),
  );
  expect(lines).toEqual(["drift corrected success - 4", "drift drifted failure - 4 not-ready"]);
});

test("a deployment whose job left no result failed, or yielded to a newer run", () => {
  const all = [missingResult("a"), supersededResult("b", "a")];
  expect(all.map(({ outcome }) => lineOf(missingNotification(outcome, "c")))).toEqual([
    "deploy failed failure - -",
    "deploy superseded cancel - -",
  ]);
});

test.each([
  ["deploy", "push", "deploy failed failure - - invalid-input"],
  ["list", "push", "deploy failed failure - - invalid-input"],
  ["list", "workflow_dispatch", "deploy failed failure - - invalid-input"],
  ["list", "pull_request", undefined],
  ["list", "merge_group", undefined],
  ["diff", "pull_request", "preview failed failure - - invalid-input"],
  ["drift", "schedule", "drift failed failure - - invalid-input"],
  ["report", "push", undefined],
  ["command", "issue_comment", undefined],
] as const)("an early error of mode %s on %s", (mode, type, line) => {
  const { signal } = new AbortController();
  const run = (error: unknown) =>
    failedRunNotification(error, { mode, event: { type }, inputs, signal, commit: "c" });
  const sent = run(userError("invalid-input", "x", "y"));
  expect(sent.map(lineOf)).toEqual(line === undefined ? [] : [line]);
  expect(run(new TypeError("a bug"))).toEqual([]);
});

const inputs = { names: [], dryRun: false, revision: "3" };
const early = userError("invalid-input", "x", "y");

test.each<[string, Partial<Parameters<typeof failedRunNotification>[1]["inputs"]>, number]>([
  ["is reported", {}, 1],
  ["isn't reported for a dry run", { dryRun: true }, 0],
  ["isn't reported for the list of releases", { revision: "" }, 0],
])("an early error of a rollback %s", (_, more, sent) => {
  const { signal } = new AbortController();
  const run = {
    mode: "rollback",
    event: { type: "workflow_dispatch" },
    signal,
    commit: "c",
  } as const;
  expect(failedRunNotification(early, { ...run, inputs: { ...inputs, ...more } })).toHaveLength(
    sent,
  );
});

test("an early error of a job names the deployments of the job", () => {
  const { signal } = new AbortController();
  const run = { mode: "deploy", event: { type: "push" }, signal, commit: "c" } as const;
  const sent = failedRunNotification(early, {
    ...run,
    inputs: { ...inputs, names: ["a", "b", "c-*"] },
  });
  expect(sent.map(({ deployment }) => deployment)).toEqual([{ name: "a" }, { name: "b" }]);
  const [first] = sent;
  // The last job reports a deployment whose job left no result. A receiver drops the duplicate.
  const missing = missingNotification({ ...missingResult("a").outcome, environment: "prod" }, "c");
  const notified = { server: "s", repository: "acme/shop", id: "1", attempt: "1", url: "", at: "" };
  expect(first && cdEvent(first, notified).id).toBe(cdEvent(missing, notified).id);
});

test("a canceled run is no failure", () => {
  const signal = AbortSignal.abort();
  const run = { mode: "deploy", event: { type: "push" }, inputs, signal, commit: "c" } as const;
  expect(failedRunNotification(signal.reason, run).map(lineOf)).toEqual([
    "deploy canceled cancel - -",
  ]);
});
