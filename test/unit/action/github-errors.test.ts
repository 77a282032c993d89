import { expect, test } from "vitest";
import { bestEffortGitHub } from "../../../src/action/github-errors.ts";
import { userError } from "../../../src/model/problems/errors.ts";
import { asStep } from "../../support/plan/step.ts";

test.each([
  [403, "Resource not accessible by integration", "permissions: pull-requests: write"],
  [404, "Not Found", "permissions: pull-requests: write"],
  [502, "Bad gateway", "Run the job again"],
])("an answer of %i is a warning with a fix", async (status, message, advice) => {
  const refused = async () => {
    throw Object.assign(new Error(message), { status });
  };
  const { exitCode, log } = await asStep(() => bestEffortGitHub("write the comment", refused));
  expect(log).toContain(
    `::warning title=QVS::qvs can't write the comment%0Aerror: GitHub answered ${status}: ${message}`,
  );
  expect(log).toContain(advice);
  expect(log).not.toContain("despite-github.test.ts");
  expect(exitCode).toBeUndefined();
});

test("a broken answer of GitHub is reported with its own fix", async () => {
  const tooMuch = userError(
    "github-api-error",
    "GitHub's API answered with more than 64 MiB",
    "Check GITHUB_API_URL",
  );
  const wrapped = Object.assign(new Error("fetch failed", { cause: tooMuch }), { status: 500 });
  const { log } = await asStep(() =>
    bestEffortGitHub("write the comment", () => Promise.reject(wrapped)),
  );
  expect(log).toContain(
    "::warning title=QVS::qvs can't write the comment%0Awhy: GitHub's API answered with more than 64 MiB",
  );
  expect(log).not.toContain("GitHub answered");
  expect(log).toContain("help: Check GITHUB_API_URL");
});

test("a network error isn't called an answer", async () => {
  const cut = Object.assign(new Error("connect ECONNREFUSED"), { status: 500 });
  const { log } = await asStep(() =>
    bestEffortGitHub("write the comment", () => Promise.reject(cut)),
  );
  expect(log).toContain(
    "qvs can't write the comment\n  error: connect ECONNREFUSED\n  why: GitHub's API",
  );
  expect(log).not.toContain("GitHub answered");
});

test("nothing is printed without a failure", async () => {
  const result = await asStep(() => bestEffortGitHub("write the comment", async () => {}));
  expect(result).toEqual({ exitCode: undefined, log: "" });
});
