import { expect, test } from "vitest";
import { displayWidth } from "../../../../src/redaction/wrap.ts";
import { renderPlanText } from "../../../../src/report/plans/plan-text.ts";
import { commentCases, isLarge } from "../../../support/report/comment-cases.ts";

const width = 80;

/**
 * Returns true for a single word. Words that are longer than a line stay whole, so that names and
 * paths can be copied.
 */
function isOneWord(line: string): boolean {
  return !line.trim().includes(" ");
}

/**
 * Returns true for lines of diffs and of text to paste, which keep the form that they have in a
 * file.
 */
function isOfFile(line: string): boolean {
  return /^ {4}[ +@-]|^ {6}/.test(line);
}

test.each(
  commentCases
    .filter(({ name }) => !isLarge(name))
    .flatMap(({ name, input }) =>
      input.deployments.flatMap((report) => (report.plan === undefined ? [] : [{ name, report }])),
    ),
)("$name: no sentence is wider than a terminal", ({ report }) => {
  const { plan, findings } = report;
  if (plan === undefined) throw new Error("the case has no plan");
  const text = renderPlanText(plan, { width }, findings, { ...report, config: "qvs.yaml" });
  const tooWide = text
    .split("\n")
    .filter((line) => displayWidth(line) > width && !isOneWord(line) && !isOfFile(line));
  expect(tooWide).toEqual([]);
});

test("every sentence is on one line without a width", () => {
  const first = commentCases[0]?.input.deployments[0];
  if (first?.plan === undefined) throw new Error("the first case has no plan");
  const wide = renderPlanText(first.plan, {}, first.findings, first);
  const narrow = renderPlanText(first.plan, { width: 40 }, first.findings, first);
  expect(narrow.split("\n").length).toBeGreaterThan(wide.split("\n").length);
  expect(narrow.replaceAll(/\s+/g, " ")).toBe(wide.replaceAll(/\s+/g, " "));
});
