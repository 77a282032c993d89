import { expect, test } from "vitest";
import { claimsOfReadme } from "../accuracy/claims.ts";

test("README.md says in numbers how much of the previews comes true, where the tests that count it find them", () => {
  const { stories, real } = claimsOfReadme();
  for (const number of [...Object.values(stories), ...Object.values(real)]) {
    expect(number).toBeGreaterThanOrEqual(10);
  }
});
