import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commentCases } from "../test/support/report/comment-cases.ts";
import { renderComment } from "../test/support/report/rendered.ts";
import { commentInput, shopReport } from "../test/support/shop/shop-report.ts";

/**
 * `node scripts/record-comments.ts` creates the pictures of comments in docs/, in the README and on
 * the front page of the documentation. It needs Chromium.
 */
const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "qvs-comments-"));
const blocked = commentCases.find(({ name }) => name === "a rollout that would hang");
if (blocked === undefined) throw new Error("No test has a comment about a rollout that would hang");

record("comment.png", renderComment(commentInput(shopReport())));
record("comment-dangerous.png", renderComment(blocked.input));
record("comment-dangerous-dark.png", renderComment(blocked.input), "--dark");
rmSync(folder, { recursive: true });

function record(picture: string, markdown: string, ...flags: readonly string[]): void {
  const file = join(folder, "given.md");
  writeFileSync(file, markdown);
  const script = join(root, "test/support/report/render-comment.ts");
  execFileSync(process.execPath, [script, folder, file, ...flags], { stdio: "inherit" });
  copyFileSync(join(folder, "comment.png"), join(root, "docs", picture));
}
