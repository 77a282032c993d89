import { expect, test } from "vitest";
import { verifiedClaims } from "../accuracy/claims.ts";

test("docs/project/verification.md has the numbers of correct predictions", () => {
  const { stories, real } = verifiedClaims();
  for (const number of [...Object.values(stories), ...Object.values(real)]) {
    expect(number).toBeGreaterThanOrEqual(10);
  }
});
