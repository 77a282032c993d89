import { UserError, userError } from "../../model/problems/errors.ts";
import type { FileTree, NewestCommit } from "../../ports/git.ts";
import type { GitHubClient, RepositoryName } from "./client.ts";
import { explainRefusal } from "./refusal.ts";

type Rest = Pick<GitHubClient, "rest">;

/**
 * Returns the newest commit of a branch from GitHub.
 * A clone doesn't have it. actions/checkout sets the branch of its `origin` to the commit that it
 * checks out, even if the branch has moved since. With `fetch-depth: 0`, it then fetches the ref of
 * that commit once more.
 */
export async function newestAtGitHub(
  client: Rest,
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
function treeAtGitHub({ rest }: Rest, repository: RepositoryName, commit: string): FileTree {
  let listing: Promise<ReadonlyMap<string, Entry>> | undefined;
  const entries = () => {
    listing ??= asked(async () => {
      const { data } = await rest.git.getTree({ ...repository, tree_sha: commit, recursive: "1" });
      if (data.truncated) throw tooLarge(commit);
      return new Map(data.tree.map((entry) => [entry.path, entry]));
    });
    return listing;
  };
  return {
    async read(path) {
      const all = await entries();
      if (waysTo(path).some((way) => all.get(way)?.mode === link)) throw isLink(path, commit);
      const found = all.get(path);
      if (found?.type !== "blob") return undefined;
      const { data } = await asked(() => rest.git.getBlob({ ...repository, file_sha: found.sha }));
      return Buffer.from(data.content, data.encoding === "base64" ? "base64" : "utf8").toString();
    },
    async list(endings) {
      const files = [...(await entries()).values()].filter(({ type }) => type === "blob");
      const paths = files.map(({ path }) => path);
      return paths.filter((path) => endings.some((ending) => path.endsWith(ending))).sort();
    },
  };
}

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly type: string;
  readonly sha: string;
}

/** The mode of links in git. */
const link = "120000";

/** Returns `a`, `a/b` and `a/b/c` for `a/b/c`. */
function waysTo(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { why, fix } = explainRefusal(error, "contents: read");
    throw userError("github-api-error", why, fix);
  }
}

const fetchIt = "Check out with fetch-depth: 0, and start this run again";

function tooLarge(commit: string): UserError {
  const what = `GitHub does not list all files of the commit ${commit.slice(0, 12)}, which are too many`;
  return userError("github-api-error", what, fetchIt);
}

function isLink(path: string, commit: string): UserError {
  const what = `"${path}" is a link, or behind one, in the commit ${commit.slice(0, 12)}, which is not in this clone`;
  return userError("github-api-error", what, fetchIt);
}
