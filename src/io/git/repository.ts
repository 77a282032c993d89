import { realpath } from "node:fs/promises";
import { userError } from "../../errors.ts";
import type { Repository } from "../../ports.ts";
import { gitError } from "./git-error.ts";
import { listTree } from "./list-tree.ts";
import { readObjects } from "./read-objects.ts";
import { type Environment, type GitCall, runGit } from "./run-git.ts";

/** A Repository that can also be asked for single files, for the SourceTree of a commit. */
export interface ObjectRepository extends Repository {
  /** Paths of the files below `folder` of a commit, sorted. */
  list(commit: string, folder: string, endings: readonly string[]): Promise<readonly string[]>;
  /** undefined when there is no such file; a link that leads outside throws a UserError. */
  readFile(commit: string, path: string): Promise<string | undefined>;
}

/** The repository that `directory` is in; undefined when it is in none. */
export async function openRepository(
  directory: string,
  environment: Environment = process.env,
): Promise<ObjectRepository | undefined> {
  const answer = await runGit(["rev-parse", "--show-toplevel"], { directory, environment });
  if (answer.stderr.includes("dubious ownership")) {
    throw userError(
      `The repository ${directory} belongs to another user, so git refuses to read it`,
      `Run: git config --global --add safe.directory ${directory}`,
    );
  }
  if (answer.code !== 0) return undefined;
  const root = await realpath(answer.stdout.toString().replace(/\n$/, ""));
  return repositoryAt(root, { directory: root, environment });
}

/** A repository by the directory in which git is run; `root` is only passed on. */
export function repositoryAt(root: string, call: GitCall): ObjectRepository {
  return {
    root,
    resolve: (revision) => resolveRevision(revision, call),
    changedPaths: (base, head) => changedPaths(base, head, call),
    async readTree(commit, folder, endings) {
      const entries = await listTree(commit, folder, endings, call);
      return readObjects(commit, entries, call);
    },
    async list(commit, folder, endings) {
      const entries = await listTree(commit, folder, endings, call);
      return entries.map(({ path }) => path).sort();
    },
    async readFile(commit, path) {
      const files = await readObjects(commit, [{ path, object: undefined }], call, "refuse");
      return files.get(path);
    },
  };
}

async function resolveRevision(revision: string, call: GitCall): Promise<string | undefined> {
  if (!isRevision(revision)) return undefined;
  const answer = await runGit(["rev-parse", "--verify", "--quiet", `${revision}^{commit}`], call);
  return answer.code === 0 ? answer.stdout.toString().trim() : undefined;
}

/** What git would take for an option is none, whatever the repository's refs are called. */
function isRevision(text: string): boolean {
  return text !== "" && !text.startsWith("-") && !text.includes("\0") && !text.includes("\n");
}

async function changedPaths(base: string, head: string, call: GitCall): Promise<readonly string[]> {
  const commits = await Promise.all([base, head].map((commit) => resolveRevision(commit, call)));
  for (const [index, commit] of [base, head].entries()) {
    if (commits[index] === undefined) throw missingCommit(commit);
  }
  const flags = ["-r", "-z", "--name-only", "--no-renames"];
  const answer = await runGit(["diff-tree", ...flags, ...commits.map(String), "--"], call);
  if (answer.code !== 0) throw gitError("Comparing two commits", answer);
  return answer.stdout.toString().split("\0").filter(Boolean);
}

function missingCommit(commit: string): Error {
  return userError(
    `The commit "${commit}" is not in this clone of the repository`,
    `Fetch it (git fetch origin ${commit}), or check out with fetch-depth: 0`,
  );
}
