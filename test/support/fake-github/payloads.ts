import type { StoredComment, StoredDeployment, StoredPull, StoredStatus } from "./state.ts";

/** Returns a comment with all fields that the API requires. Unused fields have simple values. */
export function commentJson(
  { id, issue, author, body, createdAt, versions }: StoredComment,
  apiUrl: string,
): object {
  const repository = `${apiUrl}/repos/acme/shop`;
  return {
    id,
    node_id: `IC_${id}`,
    url: `${repository}/issues/comments/${id}`,
    html_url: `https://github.com/acme/shop/pull/${issue}#issuecomment-${id}`,
    issue_url: `${repository}/issues/${issue}`,
    body,
    user: userJson(author, apiUrl),
    author_association: "NONE",
    created_at: createdAt,
    updated_at: versions.at(-1)?.at ?? createdAt,
  };
}

/** Returns only the fields that a client needs to recognize a merged pull request. */
export function pullJson({ number, mergeCommit, merged = true, mergedAt }: StoredPull): object {
  return {
    number,
    state: merged ? "closed" : "open",
    merged_at: merged ? mergedAt : null,
    merge_commit_sha: mergeCommit,
  };
}

export function referenceJson(branch: string, sha: string, apiUrl: string): object {
  const git = `${apiUrl}/repos/acme/shop/git`;
  const object = { type: "commit", sha, url: `${git}/commits/${sha}` };
  const ref = `refs/heads/${branch}`;
  return { ref, node_id: "REF_1", url: `${git}/${ref}`, object };
}

export function deploymentJson(
  { id, ref, environment, task = "deploy", description, payload }: StoredDeployment,
  apiUrl: string,
): object {
  const repository = `${apiUrl}/repos/acme/shop`;
  const url = `${repository}/deployments/${id}`;
  return {
    ...{ id, node_id: `DE_${id}`, url, sha: ref, ref, task, payload },
    ...{ original_environment: environment, environment, description },
    ...{ creator: null, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" },
    ...{ statuses_url: `${url}/statuses`, repository_url: repository },
  };
}

export function statusJson(
  { id: deployment, environment }: StoredDeployment,
  { id, state, description }: StoredStatus,
  apiUrl: string,
): object {
  const repository = `${apiUrl}/repos/acme/shop`;
  const deploymentUrl = `${repository}/deployments/${deployment}`;
  return {
    ...{ id, node_id: `DES_${id}`, url: `${deploymentUrl}/statuses/${id}`, state, description },
    ...{ creator: null, environment, target_url: "", log_url: "", environment_url: "" },
    ...{ created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" },
    ...{ deployment_url: deploymentUrl, repository_url: repository },
  };
}

function userJson(login: string, apiUrl: string): object {
  const url = `${apiUrl}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id: 41898282,
    node_id: "U_1",
    avatar_url: "https://avatars.githubusercontent.com/u/1",
    gravatar_id: "",
    url,
    html_url: `https://github.com/${login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following`,
    gists_url: `${url}/gists`,
    starred_url: `${url}/starred`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    received_events_url: `${url}/received_events`,
    type: login.endsWith("[bot]") ? "Bot" : "User",
    site_admin: false,
  };
}
