import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ActionContext } from "../../../../src/action/context.ts";
import type { Inputs } from "../../../../src/action/inputs/inputs.ts";
import { reportResults } from "../../../../src/action/reports/report-results.ts";
import type { GitHubEvent } from "../../../../src/io/github/event.ts";
import { UserError } from "../../../../src/model/problems/errors.ts";
import { sentSecrets } from "../../../../src/redaction/sent-secrets.ts";
import {
  type DeploymentResult,
  missingResult,
  resultText,
} from "../../../../src/report/result-file.ts";
import { asStep, stepEnvironment } from "../../../support/plan/step.ts";

function result(deployment: string, succeeded: boolean, create: number): DeploymentResult {
  const { outcome } = missingResult(deployment);
  const changes = { create, update: 0, replace: 0, delete: 0 };
  const facts = { revision: 3, refusal: undefined, environment: "staging", succeeded };
  return { outcome: { ...outcome, ...facts }, changes, digest: `digest-of-${deployment}` };
}

/**
 * Reports from files in the layout of actions/download-artifact: a directory for each artifact,
 * except if there is only one.
 */
async function report(files: Readonly<Record<string, string>>, expected: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "results-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "result.json"), text);
  }
  return reportIn(folder, expected);
}

async function reportIn(folder: string, expected: readonly string[]) {
  const event: GitHubEvent = { type: "schedule", ref: "refs/heads/main", defaultBranch: "main" };
  const step = stepEnvironment({}, {});
  const inputs = { results: folder, expected, summary: true, comment: "never", token: "" };
  const context = { env: step.env, sent: sentSecrets(), runUrl: undefined, commit: "c0ffee" };
  const { log, exitCode } = await asStep(() =>
    reportResults(event, inputs as unknown as Inputs, context as unknown as ActionContext),
  );
  const values = step.outputs().matchAll(/^(\S+)<<(\S+)\n([\s\S]*?)\n?^\2$/gm);
  const outputs = Object.fromEntries(Array.from(values, ([, name, , value]) => [name, value]));
  return { log, exitCode, summary: step.summary(), outputs };
}

test("all jobs have one summary with failures first, and their changes are added", async () => {
  const { log, exitCode, summary, outputs } = await report(
    {
      "qvs-result-b": resultText([result("b", true, 2)], "c0ffee"),
      "qvs-result-a.and-1-more": resultText([result("a", true, 1), result("c", false, 0)], ""),
    },
    ["a", "b", "c"],
  );
  expect(summary.match(/## .*/g)).toEqual([
    "## 🛑 Failed to deploy c to staging as release 3",
    "## ✅ Deployed a to staging as release 3",
    "## ✅ Deployed b to staging as release 3",
  ]);
  expect(outputs).toMatchObject({ changed: "true", "to-create": "3", "plan-digest": "" });
  // The failed deployment has already failed its own job.
  expect(exitCode).toBeUndefined();
  expect(log).toContain("Failed to deploy c to staging");
  const written = JSON.parse(readFileSync(outputs["result-path"] ?? "", "utf8"));
  expect(written.deployments).toHaveLength(3);
});

test("results of another list of deployments in the same run are omitted", async () => {
  const files = {
    "qvs-result-a": resultText([result("a", true, 1)], "c0ffee"),
    "qvs-result-other": resultText([result("other", false, 5)], "c0ffee"),
  };
  const { summary, outputs } = await report(files, ["a"]);
  expect(summary).toContain("Deployed a ");
  expect(summary).not.toContain("other");
  expect(outputs).toMatchObject({ changed: "true", "to-create": "1", release: "3" });
});

test("a deployment without a result is reported, and its changes are unknown", async () => {
  const files = { "": resultText([result("a", true, 1)], "c0ffee") };
  const { summary, outputs } = await report(files, ["a", "b"]);
  expect(summary).toContain("## 🛑 Failed to deploy b");
  expect(summary).toContain("The job of b didn't run");
  expect(outputs).toMatchObject({ changed: "true", release: "" });
  expect(outputs).not.toHaveProperty("to-create");
});

test("superseded deployments and their dependents aren't failures, and a notice explains the red run", async () => {
  const { outcome, ...rest } = result("a", true, 1);
  const superseded = { ...rest, outcome: { ...outcome, gaveWay: true } };
  const files = { x: resultText([superseded, result("b", true, 0)], "c0ffee") };
  const { summary, log, outputs } = await report(files, ["a", "b", "c", "d"]);
  expect(summary.match(/## .*/g)).toEqual([
    "## ⏭️ Superseded a in staging, release 3: a newer run took over",
    "## ✅ Deployed b to staging as release 3",
    "## ⏭️ Superseded c: a newer run took over",
    "## ⏭️ Superseded d: a newer run took over",
  ]);
  expect(summary).toContain("The job of d didn't run, because a newer run superseded a");
  expect(summary).not.toContain("CAUTION");
  expect(log).toContain("::notice title=QVS::A newer run took over a, c, d%0A");
  expect(log).toContain("This run fails only because the superseded jobs");
  // The changes of the other deployments are unknown.
  expect(outputs).not.toHaveProperty("to-create");
});

test("a failure next to a superseded job is still a failure, and deployments that didn't run can be due to it", async () => {
  const { outcome, ...rest } = result("a", true, 1);
  const superseded = { ...rest, outcome: { ...outcome, gaveWay: true } };
  const files = { x: resultText([superseded, result("b", false, 0)], "c0ffee") };
  const { summary, log } = await report(files, ["a", "b", "c"]);
  expect(summary).toContain("## 🛑 Failed to deploy c");
  expect(log).toContain("The summary shows the other failures");
});

test("a run without results and one with a single result are reported", async () => {
  expect((await report({}, ["a"])).summary).toContain("The job of a didn't run");
  const alone = await report({ x: resultText([result("a", true, 1)], "") }, ["a"]);
  expect(alone.outputs).toMatchObject({ release: "3", "plan-digest": "digest-of-a" });
});

test("an unreadable result is an error, not a missing one", async () => {
  await expect(report({ x: "{}" }, ["a"])).rejects.toThrow(UserError);
});

test("results are read only from files in their directory, even if its links are circular", async () => {
  const folder = mkdtempSync(join(tmpdir(), "linked-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["a", "b"]) symlinkSync(".", join(folder, name));
  mkdirSync(join(folder, "qvs-result"));
  writeFileSync(join(folder, "qvs-result/result.json"), resultText([result("a", true, 1)], ""));
  const { outputs } = await reportIn(folder, ["a"]);
  expect(outputs["to-create"]).toBe("1");
  symlinkSync(folder, `${folder}-link`);
  onTestFinished(() => rmSync(`${folder}-link`));
  await expect(reportIn(`${folder}-link`, ["a"])).rejects.toThrow("is a symbolic link");
});
