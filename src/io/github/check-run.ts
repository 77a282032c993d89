import type { CheckTitle, Markdown } from "../../redaction/shown.ts";
import type { RepositoryName, RestClient } from "./client.ts";

/** A check in addition to the checks of the jobs (docs.github.com/rest/checks/runs). */
export interface CheckRun {
  readonly name: string;
  readonly commit: string;
  readonly conclusion: "success" | "failure" | "neutral";
  readonly title: CheckTitle;
  readonly summary: Markdown;
  readonly detailsUrl: string | undefined;
}

/** The maximum length of a summary. GitHub rejects a longer one. */
export const longestCheckSummary = 65_000;

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
    output: { title, summary },
    ...(detailsUrl === undefined ? {} : { details_url: detailsUrl }),
  });
}
