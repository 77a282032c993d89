import { UserError } from "../../model/problems/errors.ts";
import { gitError } from "./git-error.ts";
import { isRevision, resolveRevision } from "./resolve-revision.ts";
import { type GitCall, runGit } from "./run-git.ts";

/** Implements `changedPaths` of Repository. */
export async function changedPaths(
  base: string,
  head: string | undefined,
  call: GitCall,
): Promise<readonly string[]> {
  const revisions = head === undefined ? [base] : [base, head];
  const unreadable = revisions.find((revision) => !isRevision(revision));
  if (unreadable !== undefined) throw missingCommit(unreadable);
  const commits = revisions.map((revision) => `${revision}^{commit}`);
  const compare = head === undefined ? compareWithDisk : ["diff-tree", "-r"];
  const answer = await runGit([...compare, ...rawFormat, ...commits, "--"], call);
  if (answer.code === 0) {
    const changed = readDifferences(answer.stdout.toString().split("\0"));
    return head === undefined ? [...changed, ...(await untrackedPaths(call))] : changed;
  }
  for (const revision of revisions) {
    if ((await resolveRevision(revision, call)) === undefined) throw missingCommit(revision);
  }
  const place = head === undefined ? "a commit with the working tree" : "two commits";
  throw gitError(`compare ${place}`, answer);
}

const rawFormat: readonly string[] = ["-z", "--raw", "--no-abbrev", "--no-renames"];

/**
 * Compares the tracked files on disk. Unlike diff-index, `git diff` reads a file whose time differs
 * before it reports it. Changes within a submodule don't count, because it is a separate
 * repository.
 */
const compareWithDisk: readonly string[] = [
  ...["-c", "core.fileMode=false", "diff", "--no-ext-diff", "--no-textconv"],
  "--ignore-submodules=dirty",
];

/** Lists the files that git doesn't know and doesn't ignore. A commit would add them. */
async function untrackedPaths(call: GitCall): Promise<readonly string[]> {
  const answer = await runGit(["ls-files", "-z", "--others", "--exclude-standard"], call);
  if (answer.code !== 0) throw gitError("list the new files of the working tree", answer);
  return answer.stdout
    .toString()
    .split("\0")
    .filter((path) => path !== "");
}

/**
 * Returns the paths with changes. `:<mode> <mode> <object> <object> <status>` precedes each path. A
 * file that only became executable has no change.
 */
function readDifferences(fields: readonly string[]): readonly string[] {
  return fields.flatMap((field, index) => {
    if (index % 2 === 0) return [];
    const [from, to, before, after] = (fields[index - 1] ?? "").slice(1).split(" ");
    const isSame = before === after && from?.startsWith("100") && to?.startsWith("100");
    return isSame ? [] : [field];
  });
}

function missingCommit(commit: string): Error {
  return new UserError([
    {
      code: "commit-not-found",
      where: [],
      what: `The commit "${commit}" isn't in this clone of the repository`,
      fix: `Run git fetch origin ${commit}`,
      otherwise: ["set fetch-depth: 0 for actions/checkout"],
    },
  ]);
}
