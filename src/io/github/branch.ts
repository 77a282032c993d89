import { UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { CommitRelation, FileTree, NewestCommit } from "../../ports/git.ts";
import type { RepositoryName, RestClient } from "./client.ts";
import { explainRefusal, type GitHubRefusal, responseStatus } from "./explain-refusal.ts";

/** Returns `main` for `refs/heads/main`. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

/** GitHub's answer about a commit, or the reason for a missing answer. */
type BranchAnswer =
  | { readonly known: true; readonly isOnBranch: boolean }
  | { readonly known: false; readonly refusal: GitHubRefusal };

/**
 * Asks GitHub whether a commit is the tip of a branch or behind it now. A push might have removed
 * it since the workflow started.
 * The answer is unknown if qvs can't reach GitHub, or if the token lacks the permission.
 */
export async function checkOnBranch(
  { rest }: RestClient,
  repository: RepositoryName,
  branch: string,
  commit: string,
): Promise<BranchAnswer> {
  try {
    // A comparison by name could use a tag with the name of the branch.
    const reference = await rest.git.getRef({ ...repository, ref: `heads/${branch}` });
    const tip = reference.data.object.sha;
    const isOnBranch = tip === commit || (await isAtOrBehind({ rest }, repository, tip, commit));
    return { known: true, isOnBranch };
  } catch (error) {
    return { known: false, refusal: explainRefusal(error, "contents: read") };
  }
}

/**
 * Returns the relation of a commit to another one from GitHub; `unknown` if GitHub doesn't answer.
 */
export async function relationAtGitHub(
  { rest }: RestClient,
  repository: RepositoryName,
  commit: string,
  other: string,
): Promise<CommitRelation> {
  try {
    return relations[await compare({ rest }, repository, other, commit)];
  } catch {
    return "unknown";
  }
}

const relations = {
  identical: "same",
  behind: "older",
  ahead: "newer",
  diverged: "diverged",
} as const satisfies Record<string, CommitRelation>;

/**
 * Reports whether a commit is the tip or behind it. GitHub answers 404 if two commits have no
 * common history, for example after a rewrite of the whole branch.
 */
async function isAtOrBehind(
  { rest }: RestClient,
  repository: RepositoryName,
  tip: string,
  commit: string,
): Promise<boolean> {
  try {
    const status = await compare({ rest }, repository, tip, commit);
    return status === "identical" || status === "behind";
  } catch (error) {
    if (responseStatus(error) === 404) return false;
    throw error;
  }
}

/** Returns the position of `head` relative to `base`. */
async function compare(
  { rest }: RestClient,
  repository: RepositoryName,
  base: string,
  head: string,
) {
  const basehead = `${base}...${head}`;
  const { data } = await rest.repos.compareCommitsWithBasehead({
    ...repository,
    basehead,
    per_page: 1,
  });
  return data.status;
}

/**
 * Returns the newest commit of a branch from GitHub.
 * A clone doesn't have it. actions/checkout sets the branch of its `origin` to the commit that it
 * checks out, even if the branch has moved since. With `fetch-depth: 0`, it then fetches the ref of
 * that commit once more.
 */
export async function newestAtGitHub(
  client: RestClient,
  repository: RepositoryName,
  branch: string,
): Promise<NewestCommit> {
  try {
    // A request by name alone could return a tag with the name of the branch.
    const { data } = await client.rest.git.getRef({ ...repository, ref: `heads/${branch}` });
    const commit = data.object.sha;
    return { type: "known", commit, tree: treeAtGitHub(client, repository, commit) };
  } catch (error) {
    return { type: "unknown", ...explainRefusal(error, "contents: read") };
  }
}

/**
 * Returns the files of a commit that the clone doesn't have. Throws a UserError if GitHub doesn't
 * return everything that qvs requests.
 */
function treeAtGitHub({ rest }: RestClient, repository: RepositoryName, commit: string): FileTree {
  let listing: Promise<ReadonlyMap<string, TreeObject>> | undefined;
  const entries = () => {
    listing ??= requestTree(async () => {
      const { data } = await rest.git.getTree({ ...repository, tree_sha: commit, recursive: "1" });
      if (data.truncated) throw tooLarge(commit);
      return new Map(data.tree.map((entry) => [entry.path, entry]));
    });
    return listing;
  };
  return {
    async read(path) {
      const all = await entries();
      if (pathPrefixes(path).some((way) => all.get(way)?.mode === linkMode))
        throw linkError(path, commit);
      const found = all.get(path);
      if (found?.type !== "blob") return undefined;
      const { data } = await requestTree(() =>
        rest.git.getBlob({ ...repository, file_sha: found.sha }),
      );
      return Buffer.from(data.content, data.encoding === "base64" ? "base64" : "utf8").toString();
    },
    async list(endings) {
      const files = [...(await entries()).values()].filter(({ type }) => type === "blob");
      const paths = files.map(({ path }) => path);
      return paths.filter((path) => endings.some((ending) => path.endsWith(ending))).sort();
    },
  };
}

interface TreeObject {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha: string;
}

/** The mode of links in git. */
const linkMode = "120000";

/** Returns `a`, `a/b` and `a/b/c` for `a/b/c`. */
function pathPrefixes(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

async function requestTree<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { why, fix } = explainRefusal(error, "contents: read");
    throw userError("github-api-error", why, fix);
  }
}

function tooLarge(commit: string): UserError {
  return notReadable({
    what: `GitHub doesn't list all files of commit ${commit.slice(0, 12)}`,
    why: "The commit has too many files",
  });
}

function linkError(path: string, commit: string): UserError {
  return notReadable({
    what: `"${path}" is a link, or behind a link, in commit ${commit.slice(0, 12)}`,
    why: "qvs follows no links of a commit that isn't in this clone",
  });
}

function notReadable(problem: Pick<Problem, "what" | "why">): UserError {
  const fix = "Set fetch-depth: 0 for actions/checkout, and run again";
  return new UserError([{ code: "github-api-error", where: [], ...problem, fix }]);
}
