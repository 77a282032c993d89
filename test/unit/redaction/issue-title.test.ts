import { expect, test } from "vitest";
import { checkTitle, issueTitle } from "../../../src/redaction/markdown.ts";

test.each([
  ["Drift: shop", "Drift: shop"],
  ["Drift: deadbeef-1", "Drift: deadbeef-1"],
  ["Drift: gh-12", "Drift: gh-12"],
  ["Drift: a & b_c *d*", "Drift: a & b_c *d*"],
  ["Drift: a\n\n  b\tc ", "Drift: a b c"],
  ["Drift: @acme/ops #12", "Drift: \\u0040acme/ops \\u002312"],
  ["Drift: `code` <b> :tada:", "Drift: \\u0060code\\u0060 \\u003cb\\u003e \\u003atada:"],
  ["Drift: \u202egnp.\u0007\u001b[31m", "Drift: \\u202egnp.\\u0007\\u001b[31m"],
])("%j has the title %j", (text, title) => {
  expect(issueTitle(text)).toBe(title);
});

test.each([
  ["Blocked: shop, image web@sha256:0", "Blocked: shop, image web@sha256:0"],
  ["Ready: a\n\u202egnp.\u200b", "Ready: a \\u202egnp.\\u200b"],
  [`${"x".repeat(199)}\u{1f6d1}`, `${"x".repeat(199)}…`],
])("%j has the title %j of a check", (text, title) => {
  expect(checkTitle(text)).toBe(title);
});

test("a title fits GitHub's limit for any deployment name", () => {
  expect(issueTitle("@".repeat(100_000)).length).toBeLessThanOrEqual(256);
});
