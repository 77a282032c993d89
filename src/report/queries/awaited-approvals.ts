import { escapeText, link, md, table } from "../../redaction/markdown.ts";
import { joined, type Markdown } from "../../redaction/shown.ts";

/** A deployment whose job can wait for the reviewers of its environment. */
export interface AwaitedDeployment {
  readonly name: string;
  readonly environment: string;
  /** The merged pull requests with a plan of it, such as `#12`. */
  readonly reviewedIn: readonly string[];
}

/**
 * Renders the summary for reviewers of environments, who decide before the jobs start. It links to
 * the plans in the comments of the merged pull requests.
 */
export function renderAwaitedApprovals(
  all: readonly AwaitedDeployment[],
  repositoryUrl: string | undefined,
): Markdown {
  const rows = all.map(({ name, environment, reviewedIn }) => [
    escapeText(name),
    escapeText(environment),
    reviewedIn.length === 0
      ? md`none found`
      : joined(
          reviewedIn.map((by) => pullRequestLink(by, repositoryUrl)),
          ", ",
        ),
  ]);
  const header = [md`Deployment`, md`Environment`, md`Plan in the comment on`];
  return md`## Deployments with an environment

Their jobs start after the approval of the environment, if it has reviewers.

${table(header, rows)}`;
}

function pullRequestLink(by: string, repositoryUrl: string | undefined): Markdown {
  const [, number] = /^#(\d+)$/.exec(by) ?? [];
  const text = escapeText(by);
  if (number === undefined || repositoryUrl === undefined) return text;
  return link(text, `${repositoryUrl}/pull/${number}`);
}
