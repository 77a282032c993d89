import { expect, test } from "vitest";
import { despiteGitHub } from "../../src/action/despite-github.ts";
import { asStep } from "../support/step.ts";

test.each([
  [403, "Resource not accessible by integration", "permissions: pull-requests: write"],
  [404, "Not Found", "permissions: pull-requests: write"],
  [502, "Bad gateway", "run the job again"],
])("an answer of %i is a warning that says what to do", async (status, message, advice) => {
  const refused = async () => {
    throw Object.assign(new Error(message), { status });
  };
  const { exitCode, log } = await asStep(() => despiteGitHub("write the comment", refused));
  expect(log).toContain(`::warning title=QVS::GitHub did not let us write the comment`);
  expect(log).toContain(`(${status}: ${message})`);
  expect(log).toContain(advice);
  expect(log).not.toContain("despite-github.test.ts");
  expect(exitCode).toBeUndefined();
});

test("nothing is said when nothing goes wrong", async () => {
  const result = await asStep(() => despiteGitHub("write the comment", async () => {}));
  expect(result).toEqual({ exitCode: undefined, log: "" });
});
