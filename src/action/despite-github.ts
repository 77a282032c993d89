import { annotate } from "../io/github/annotations.ts";
import { logLines } from "../io/github/log.ts";
import type { Problem } from "../model/problem.ts";

/**
 * A comment is a courtesy: summary, outputs and annotations have said everything before, and what was deployed is deployed. So
 * whatever goes wrong with it becomes a warning and leaves the outcome of the step as it is.
 */
export async function despiteGitHub(doing: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const warning = describe(doing, error);
    logLines(`${warning.what}\n  → ${warning.fix}`);
    annotate([warning], "warning", "QVS");
  }
}

function describe(doing: string, error: unknown): Problem {
  const status = statusOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const answer = status === undefined ? message : `${status}: ${message}`;
  return { where: [], what: `GitHub did not let us ${doing} (${answer})`, fix: fixFor(status) };
}

/** 404 is how GitHub says "forbidden" where even the existence of something is a secret. */
function fixFor(status: number | undefined): string {
  return status === 401 || status === 403 || status === 404
    ? "Give the job `permissions: pull-requests: write`, or set `comment: never`"
    : "The run's summary says the same; run the job again to have it in the comment";
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  return typeof error.status === "number" ? error.status : undefined;
}
