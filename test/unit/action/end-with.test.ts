import { expect, test } from "vitest";
import { reportRunError } from "../../../src/action/run-action.ts";
import { userError } from "../../../src/model/problems/errors.ts";
import { asStep } from "../../support/plan/step.ts";

const calm = new AbortController().signal;

test("a canceled run fails with one line and without a stack trace", async () => {
  const cancelled = new DOMException("This operation was aborted", "AbortError");
  const result = await asStep(async () => reportRunError(cancelled, AbortSignal.abort(), false));
  expect(result).toEqual({
    exitCode: 1,
    log: "The run was canceled. Nothing was changed.\n",
  });
});

test("a canceled run that has written objects doesn't claim that nothing was changed", async () => {
  const cancelled = new DOMException("This operation was aborted", "AbortError");
  const { log } = await asStep(async () => reportRunError(cancelled, AbortSignal.abort(), true));
  expect(log).toBe(
    "The run was canceled. qvs had already written objects. The next run continues from the current state of the cluster.\n",
  );
});

test("a user's mistake fails with its fix", async () => {
  const { exitCode, log } = await asStep(async () =>
    reportRunError(userError("invalid-input", "wrong", "Mend it"), calm, false),
  );
  expect(exitCode).toBe(1);
  expect(log).toBe(
    "error[invalid-input]: wrong\n  help: Mend it\n::error title=QVS::wrong%0Ahelp: Mend it\n",
  );
});

test.each([new TypeError("x is undefined"), new DOMException("aborted", "AbortError")])(
  "an unexpected error is thrown again: %s",
  (error) => {
    expect(() => reportRunError(error, calm, false)).toThrow(error);
  },
);
