import { expect, test } from "vitest";
import type { Problem } from "../../../src/model/problems/problem.ts";
import { adviseOnRecord } from "../../../src/planning/checks/advise-on-record.ts";

const told = (code: Problem["code"]) =>
  adviseOnRecord(3)({ code, what: "it is refused", fix: "Edit the adapter", where: [] }).fix;

test.each([
  [
    "immutable-field",
    "Release 3 has it so: delete the object yourself first if it may be absent for a moment, or deploy a commit that declares the same",
  ],
  [
    "invalid-object",
    "Release 3 has it so: roll back to another release, or deploy a commit with a valid value",
  ],
  ["missing-permission", "Edit the adapter"],
] as const)("what a record has can't be edited: %s", (code, expected) => {
  expect(told(code)).toBe(expected);
});
