import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeSummary } from "../../../../src/io/github/step-outputs.ts";
import { codeBlock, details, html, md } from "../../../../src/redaction/markdown.ts";
import { sentSecrets } from "../../../../src/redaction/sent-secrets.ts";
import { joined, type Markdown } from "../../../../src/redaction/shown.ts";
import { asStep } from "../../../support/plan/step.ts";

function filesAt(path: string | undefined) {
  return { env: { GITHUB_STEP_SUMMARY: path }, sent: sentSecrets() };
}

function summaryAfter(...texts: readonly Markdown[]): string {
  const path = join(mkdtempSync(join(tmpdir(), "summary-")), "summary.md");
  for (const text of texts) writeSummary(text, filesAt(path));
  return readFileSync(path, "utf8");
}

test("texts follow each other", () => {
  expect(summaryAfter(md`# One`, md`# Two`)).toBe("# One\n# Two\n");
});

test("a text over the limit is cut at the end of a line, never within a character", () => {
  const summary = summaryAfter(joined(Array(60_000).fill(md`配置が変わりました`), "\n"));
  expect(Buffer.byteLength(summary)).toBeLessThan(1_000_000);
  expect(summary).not.toContain("\ufffd");
  expect(summary).toMatch(/変わりました\n\n\*\*The rest is too long for this page\.\*\*\n$/);
});

test("a cut closes open blocks, so that they don't include the following text", () => {
  const lines = codeBlock("text", Array(60_000).fill("a line of twenty characters"));
  const summary = summaryAfter(details(html`More`, lines));
  expect(summary).toMatch(/characters\n```\n\n<\/details>\n\n\*\*The rest is too long/);
});

test("nothing is written outside GitHub", () => {
  expect(() => writeSummary(md`# One`, filesAt(undefined))).not.toThrow();
});

test("an unwritable summary is a warning, and the later reports still follow", async () => {
  const { exitCode, log } = await asStep(async () => writeSummary(md`text`, filesAt(tmpdir())));
  expect(exitCode).toBeUndefined();
  expect(log).toContain("::warning title=QVS::The run's summary can't be written%0Aerror: EISDIR");
  expect(log).toContain("help: Check that the runner's disk has free space");
});
