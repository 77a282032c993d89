import { expect, onTestFinished, test, vi } from "vitest";
import { readInputs } from "../../src/action/inputs.ts";
import { UserError } from "../../src/model/errors.ts";

function optionsWith(allowOutsideNamespace: string) {
  vi.stubEnv("INPUT_ALLOW-OUTSIDE-NAMESPACE", allowOutsideNamespace);
  onTestFinished(() => void vi.unstubAllEnvs());
  return readInputs().options;
}

test.for([
  { given: "", allowed: false },
  { given: "false", allowed: false },
  { given: "true", allowed: true },
])("a record is believed elsewhere only when that is said: $given", ({ given, allowed }) => {
  expect(optionsWith(given).allowOutsideNamespace).toBe(allowed);
});

test("what is neither true nor false is refused", () => {
  expect(() => optionsWith("yes")).toThrow(UserError);
});
