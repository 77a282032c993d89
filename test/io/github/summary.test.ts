import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeSummary } from "../../../src/io/github/summary.ts";

function summaryAfter(...texts: readonly string[]): string {
  const path = join(mkdtempSync(join(tmpdir(), "summary-")), "summary.md");
  for (const text of texts) writeSummary(text, path);
  return readFileSync(path, "utf8");
}

test("texts follow each other", () => {
  expect(summaryAfter("# One", "# Two")).toBe("# One\n# Two\n");
});

test("a text over the limit is cut at the end of a line, never within a character", () => {
  const summary = summaryAfter("配置が変わりました\n".repeat(60_000));
  expect(Buffer.byteLength(summary)).toBeLessThan(1_000_000);
  expect(summary).not.toContain("\ufffd");
  expect(summary).toMatch(/変わりました\n\n\*\*The rest is too long for this page\.\*\*\n$/);
});

test("outside of GitHub nothing is written", () => {
  expect(() => writeSummary("# One", undefined)).not.toThrow();
});
