import type { World } from "../../ports/world.ts";
import { md } from "../../redaction/markdown.ts";
import type { DeploymentReport } from "../../report/comment/comment-input.ts";
import { renderComment } from "../../report/comment/render-comment.ts";
import { renderPage } from "../../report/page/render-page.ts";
import { buildReview } from "../../report/review/build-review.ts";
import type { Shell } from "../program/shell.ts";
import { printMarkdown, printPage } from "./print.ts";

/** Prints one document about all previews. Previews as text don't load this module. */
export async function showDocument(
  reports: readonly DeploymentReport[],
  format: "markdown" | "html",
  world: World,
  { stdout }: Shell,
): Promise<void> {
  const headCommit = (await world.repository?.resolve("HEAD")) ?? "";
  const now = world.clock.now().toISOString();
  const review = buildReview({ deployments: reports, headCommit, runUrl: undefined, now });
  if (format === "html") printPage(stdout, renderPage(review, { hash: world.hash }));
  else printMarkdown(stdout, md`${renderComment(review)}\n`);
}
