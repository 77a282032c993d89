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
 * Adds the wanted labels and removes all others that begin with the prefix. GitHub creates labels
 * that don't exist (docs.github.com/rest/issues/labels#add-labels-to-an-issue). Labels that are
 * right already cause no request.
 */
export async function syncLabels(
  { rest }: RestClient,
  { owner, repo, number }: LabeledPullRequest,
  { prefix, names }: WantedLabels,
): Promise<void> {
  const issue = { owner, repo, issue_number: number };
  const { data } = await rest.issues.listLabelsOnIssue({ ...issue, per_page: mostLabels });
  const current = data.map(({ name }) => name);
  const missing = names.filter((name) => !current.includes(name));
  if (missing.length > 0) await rest.issues.addLabels({ ...issue, labels: missing });
  const former = current.filter((name) => name.startsWith(prefix) && !names.includes(name));
  for (const name of former) await removeLabel(() => rest.issues.removeLabel({ ...issue, name }));
}

/** Removes a label. It can be removed already. */
async function removeLabel(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (responseStatus(error) !== 404) throw error;
  }
}
