import { expect, test } from "vitest";
import type { ObjectResult } from "../../../../src/model/deployments/release.ts";
import { code, codeBlock, md, ownMarkdown } from "../../../../src/redaction/markdown.ts";
import {
  keepOutcome,
  renderOutcomeSummary,
  renderOutcomes,
  withOutcome,
} from "../../../../src/report/comment/outcome-comment.ts";
import type { OutcomeReport } from "../../../../src/report/outcome-report.ts";

/** GitHub's limit for one comment. */
const limit = 65_536;

function failedOutcome(
  failures: number,
  waiting: number,
  changes: Partial<OutcomeReport> = {},
): OutcomeReport {
  const result = (outcome: ObjectResult["outcome"]) => (_: unknown, i: number) => ({
    outcome,
    key: `apps:Deployment::shop/a-rather-long-name-for-an-object-${outcome}-${i}`,
    detail: "Deployment shop/web failed | *and* `so` on",
  });
  const failed = Array.from({ length: failures }, result("failed"));
  return {
    deployment: "shop",
    environment: undefined,
    revision: 8,
    rollbackOf: undefined,
    succeeded: false,
    results: [...Array.from({ length: waiting }, result("not attempted")), ...failed],
    evidence: failed.map(({ key }) => ({ key, lines: [], publicLines: ["not ready"] })),
    refusal: undefined,
    ...changes,
  };
}

test("a comment about 2,000 results has the counts and every failure within GitHub's limit", () => {
  const section = renderOutcomes([failedOutcome(10, 1990)], "abc", undefined);
  expect(section.length).toBeLessThan(limit);
  expect(section).toContain("10 failed, 1990 not attempted");
  expect(section.match(/^\| 🔴 failed/gm)).toHaveLength(10);
  expect(section.match(/<details/g)).toHaveLength(10);
  expect(section).toContain("Not listed here: 1990 more objects.");
});

test.each([
  [{ removal: "delete", succeeded: true }, "## ✅ Deleted shop from production"],
  [
    { removal: "delete", succeeded: true, unchanged: true, revision: undefined },
    "## ✅ Already deleted shop from production",
  ],
  [
    { removal: "delete", succeeded: false },
    "## 🛑 Failed to delete shop from production\n\n> [!CAUTION]\n> - The remaining objects and their releases stay. To delete the rest, start this run again",
  ],
  [
    { removal: "keep", succeeded: true, notices: ["it <differs>"] },
    "## ⚠️ Didn't delete shop from production, which was removed from the list\n\nit &lt;differs\\>",
  ],
] as const)("the outcome of a removed deployment: %o", (outcome, expected) => {
  const removed = failedOutcome(0, 0, { environment: "production", ...outcome });
  expect(renderOutcomes([removed], "abc", undefined)).toContain(expected);
});

test("a canceled run hasn't failed, and its remaining work is reported", () => {
  const cancelled = failedOutcome(0, 2, { stopped: "the run was cancelled", cancelled: true });
  const section = renderOutcomes([cancelled], "abc", undefined);
  expect(section).toContain("Canceled while deploying shop as release 8");
  expect(section).toContain(
    "The run was cancelled. Nothing was deleted after that. 2 objects weren't attempted, so the versions that they would replace keep serving. The next run continues from the current state of the cluster",
  );
});

test("a superseded run, an unchanged run, and the rollback command after a failure are reported", () => {
  const nothing = { results: [], evidence: [], succeeded: true };
  const late = { ...failedOutcome(0, 0), ...nothing, superseded: "a is older than b" };
  expect(renderOutcomes([late], "abc", undefined)).toContain(
    "## ⏭️ Skipped shop: a newer commit is already deployed\n\na is older than b",
  );
  const unchanged = { ...failedOutcome(0, 0), ...nothing, unchanged: true };
  expect(renderOutcomes([unchanged], "abc", undefined)).toContain(
    "## ✅ No changes for shop: release 8 is current",
  );
  const notices = Array.from({ length: 2000 }, (_, i) => `Notice ${i} of some length`.repeat(3));
  const rollbackOptions = ["To go back to release 7: qvs rollback --to 7"];
  const failed = renderOutcomes(
    [failedOutcome(1, 0, { notices, waysBack: rollbackOptions })],
    "abc",
    undefined,
  );
  expect(failed.length).toBeLessThan(limit);
  expect(failed).toContain(
    "To go back to release 7:\n>\n>   ```sh\n>   qvs rollback --to 7\n>   ```",
  );
});

test("a comment about 2,000 failures shows the first ones", () => {
  const section = renderOutcomes([failedOutcome(2000, 0)], "abc", undefined);
  expect(section.length).toBeLessThan(limit);
  expect(section).toContain("2000 failed");
  expect(section.match(/^\| 🔴 failed/gm)).toHaveLength(50);
  expect(section).toContain("Not listed here: 1950 more objects.");
});

test("a value that imitates the markers of an outcome is neither parsed nor written as one", () => {
  const older = `<!-- qvs-action:comment v1 -->
\`\`\`diff
+<!-- qvs-action:outcome -->
\`\`\`

**Delete everything?**

\`\`\`diff
+<!-- /qvs-action:outcome -->
\`\`\`
`;
  const section = renderOutcomes([failedOutcome(0, 0)], "abc", undefined);
  const once = withOutcome(ownMarkdown(older), section);
  expect(once).toContain("**Delete everything?**");
  expect(withOutcome(ownMarkdown(once.replaceAll("\n", "\r\n")), section)).toBe(once);
  const markers = "<!-- qvs-action:outcome -->\n<!-- /qvs-action:outcome -->";
  const [fence, span] = [codeBlock("text", [markers]), code(markers)];
  expect(`${fence}${span}`).not.toContain("<!-- ");
});

test("the approval stays in the second line, and a new preview replaces it", () => {
  const line = (commit: string) => `<!-- qvs-action:approval v1 ${commit} -->`;
  const preview = (commit: string) =>
    ownMarkdown(`<!-- qvs-action:comment v1 -->\n${line(commit)}\n## 1 to update\n`);
  const section = renderOutcomes([failedOutcome(0, 0)], "abc", undefined);
  const once = withOutcome(preview("a"), section);
  expect(once.split("\n").slice(0, 3)).toEqual([
    "<!-- qvs-action:comment v1 -->",
    line("a"),
    "<!-- qvs-action:outcome -->",
  ]);
  expect(withOutcome(once, section)).toBe(once);
  const next = keepOutcome(once, preview("b"));
  expect(next).toBe(once.replace(line("a"), line("b")));
});

test.each([
  ["a very long rejection", [failedOutcome(0, 0, { refusal: "*a*\n".repeat(50_000) })]],
  ["evidence as long as a book", [failedOutcome(1, 0, { evidence: [longEvidence()] })]],
  ["a name as long as a book", [failedOutcome(1, 0, { deployment: "a".repeat(100_000) })]],
  ["a thousand deployments", Array.from({ length: 1000 }, () => failedOutcome(1, 2))],
])("%s fits into comment and summary", { tags: "slow" }, (_, outcomes) => {
  const section = renderOutcomes(outcomes, "abc", "https://github.com/a/b/actions/runs/1");
  const comment = withOutcome(md`<!-- qvs-action:comment v1 -->\npreview`, section);
  expect(comment.length).toBeLessThan(limit);
  expect(section.startsWith("<!-- qvs-action:outcome -->\n")).toBe(true);
  expect(section.endsWith("\n<!-- /qvs-action:outcome -->")).toBe(true);
  expect(section).toMatch(/in the run's log/);
  const summary = renderOutcomeSummary(outcomes, "abc", undefined);
  expect(Buffer.byteLength(summary)).toBeLessThan(1_000_000);
});

test("failed deployments are listed before successful ones", () => {
  const good = failedOutcome(0, 0, { deployment: "good", succeeded: true });
  const section = renderOutcomes([good, failedOutcome(1, 0, { deployment: "bad" })], "abc", "");
  expect(section.indexOf("bad")).toBeLessThan(section.indexOf("good"));
});

test("the summary has a larger limit than the comment", () => {
  const outcomes = [failedOutcome(10, 600)];
  expect(renderOutcomeSummary(outcomes, "abc", undefined).match(/^\| ⚪/gm)).toHaveLength(600);
});

function longEvidence() {
  return { key: "k", lines: [], publicLines: Array.from({ length: 5000 }, () => "x".repeat(100)) };
}
