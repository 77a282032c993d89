import type { Markdown } from "../../redaction/shown.ts";
import type { RepositoryName, RestClient } from "./client.ts";

/** A check in addition to the checks of the jobs (docs.github.com/rest/checks/runs). */
export interface CheckRun {
  readonly name: string;
  readonly commit: string;
  readonly conclusion: "success" | "failure" | "neutral";
  readonly title: string;
  readonly summary: Markdown;
  readonly detailsUrl: string | undefined;
}

/** The maximum length of a summary. GitHub rejects a longer one. It shows the title on one line. */
export const longestCheckSummary = 65_000;
const longestTitle = 200;

export async function createCheckRun(
  { rest }: RestClient,
  repository: RepositoryName,
  { name, commit, conclusion, title, summary, detailsUrl }: CheckRun,
): Promise<void> {
  await rest.checks.create({
    ...repository,
    name,
    head_sha: commit,
    status: "completed",
    conclusion,
    output: { title: title.slice(0, longestTitle), summary },
    ...(detailsUrl === undefined ? {} : { details_url: detailsUrl }),
  });
}
