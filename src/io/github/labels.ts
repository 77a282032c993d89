import type { RepositoryName, RestClient } from "./client.ts";
import { responseStatus } from "./explain-refusal.ts";

/** The pull request whose labels are changed. */
export interface LabeledPullRequest extends RepositoryName {
  readonly number: number;
}

/** A prefix for labels, and the labels with this prefix that a pull request should have. */
export interface WantedLabels {
  readonly prefix: string;
  readonly names: readonly string[];
}

/** GitHub's limit for the labels of a pull request, which fits on one page. */
const mostLabels = 100;

/**
 * Adds the wanted labels and removes all others that begin with the prefix. GitHub ignores the case
 * of names. It creates labels that don't exist, if the token can write issues. Correct labels cause
 * no further request.
 */
export async function syncLabels(
  { rest }: RestClient,
  { owner, repo, number }: LabeledPullRequest,
  { prefix, names }: WantedLabels,
): Promise<void> {
  const issue = { owner, repo, issue_number: number };
  const { data } = await rest.issues.listLabelsOnIssue({ ...issue, per_page: mostLabels });
  const current = new Map(data.map(({ name }) => [name.toLowerCase(), name]));
  const missing = names.filter((name) => !current.has(name.toLowerCase()));
  if (missing.length > 0) await rest.issues.addLabels({ ...issue, labels: missing });
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  for (const [key, name] of current) {
    if (!key.startsWith(prefix.toLowerCase()) || wanted.has(key)) continue;
    await removeLabel(() => rest.issues.removeLabel({ ...issue, name }));
  }
}

/** Removes a label. It can be removed already. */
async function removeLabel(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (responseStatus(error) !== 404) throw error;
  }
}
