import type { Issue, Issues } from "../../ports/github.ts";
import type { GitHubClient, RepositoryName } from "./client.ts";
import { createsOnce } from "./find-before-retry.ts";
import { readLogin } from "./pull-request.ts";
import { isSameText } from "./stored-text.ts";

/**
 * The maximum number of pages. qvs doesn't search for issues that were closed earlier: a new issue
 * has the same content.
 */
const maxPages = 5;

/**
 * Opens the issues of a repository through GitHub's API for issues
 * (docs.github.com/rest/issues/issues). Its lists also contain pull requests.
 */
export function openIssues(client: GitHubClient, repository: RepositoryName): Issues {
  const { issues } = client.rest;
  let login: Promise<string> | undefined;
  const author = () => {
    login ??= readLogin(client);
    return login;
  };
  const listStored = async (state: "open" | "closed") => {
    const asked = { ...repository, state, creator: await author(), per_page: 100 };
    const sorted = { ...asked, sort: "updated", direction: "desc" } as const;
    let pages = 0;
    return client.paginate(issues.listForRepo, sorted, ({ data }, done) => {
      pages += 1;
      if (pages >= maxPages) done();
      return data.filter((each) => each.pull_request === undefined);
    });
  };
  const list = async (state: "open" | "closed") => (await listStored(state)).map(toIssue);
  let listed: Promise<readonly Issue[]> | undefined;
  return {
    author,
    // One request serves all deployments of a run, and each searches for its own issue.
    open: () => {
      listed ??= list("open");
      return listed;
    },
    closed: () => list("closed"),
    async create(title, body) {
      const find = async () =>
        (await listStored("open")).find((each) => isSameText(each.body ?? "", body));
      const request = { ...repository, title, body, ...createsOnce(find) };
      return toIssue((await issues.create(request)).data);
    },
    async update(number, body, state) {
      const state_reason = state === "open" ? ("reopened" as const) : ("completed" as const);
      const changed = { ...repository, issue_number: number, body, state, state_reason };
      return toIssue((await issues.update(changed)).data);
    },
  };
}

interface ApiIssue {
  readonly number: number;
  readonly body?: string | null | undefined;
  readonly html_url: string;
  readonly state_reason?: string | null | undefined;
  readonly user: { readonly login: string } | null;
}

function toIssue({ number, body, html_url, user, state_reason }: ApiIssue): Issue {
  const isNotPlanned = state_reason === "not_planned";
  return { number, body: body ?? "", author: user?.login ?? "", url: html_url, isNotPlanned };
}
