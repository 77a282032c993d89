import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type GitCall, runGit } from "./run-git.ts";

/**
 * Returns the existing files that Git LFS tracks by an attribute `filter=lfs`. Most repositories
 * have no such attribute, so git runs only if a file of attributes has one.
 */
export async function findTrackedByLfs(
  paths: readonly string[],
  { directory, environment }: Pick<GitCall, "directory" | "environment">,
): Promise<readonly string[]> {
  const folders = new Set(paths.flatMap(foldersOf));
  const files = [".git/info/attributes", ...[...folders].map((each) => `${each}.gitattributes`)];
  if (!files.some((file) => namesLfs(join(directory, file)))) return [];
  const existing = paths.filter((path) => existsSync(join(directory, path)));
  const input = existing.map((path) => `${path}\0`).join("");
  const call = { directory, environment, input };
  const answer = await runGit(["check-attr", "-z", "--stdin", "filter"], call);
  if (answer.code !== 0) return [];
  const values = answer.stdout.toString().split("\0");
  return existing.filter(
    (path, index) => values[3 * index] === path && values[3 * index + 2] === "lfs",
  );
}

/** Returns the directories around a file, with a slash at the end; the root is empty. */
function foldersOf(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return ["", ...names.map((_, index) => `${names.slice(0, index + 1).join("/")}/`)];
}

/** The maximum size of a file of attributes. Git ignores larger ones. */
const maxBytes = 100 * 1024 * 1024;

/** Reports whether a file of attributes names Git LFS. A pipe in its place would never end. */
function namesLfs(file: string): boolean {
  try {
    const found = lstatSync(file);
    return (
      found.isFile() && found.size <= maxBytes && readFileSync(file, "utf8").includes("filter=lfs")
    );
  } catch {
    return false;
  }
}
