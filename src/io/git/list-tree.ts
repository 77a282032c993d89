import { gitError } from "./git-error.ts";
import { type GitCall, runGit } from "./run-git.ts";

/** A file of a commit. `object` is undefined where only the path is known, or where a link has to be followed. */
export interface TreeEntry {
  readonly path: string;
  readonly object: string | undefined;
}

/** The files and links below a folder of a commit ("" for all) whose path ends in one of `endings`. */
export async function listTree(
  commit: string,
  folder: string,
  endings: readonly string[],
  call: GitCall,
): Promise<readonly TreeEntry[]> {
  const below = folder === "" ? [] : [`${folder.replace(/\/+$/, "")}/`];
  // `--end-of-options` is not understood by every git that is in use; a full commit id needs none.
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new Error(`Not a full commit id: ${commit}`);
  const answer = await runGit(["ls-tree", "-r", "-z", "--full-tree", commit, "--", ...below], call);
  if (answer.code !== 0) throw gitError("Reading the files of a commit", answer);
  const lines = answer.stdout.toString().split("\0").filter(Boolean);
  return lines.map(readLine).filter((entry) => isWanted(entry, endings));
}

interface Line extends TreeEntry {
  readonly mode: string;
}

/** `<mode> <type> <object>\t<path>` */
function readLine(line: string): Line {
  const tab = line.indexOf("\t");
  const [mode = "", , object = ""] = line.slice(0, tab).split(" ");
  const isLink = mode === "120000";
  return { mode, path: line.slice(tab + 1), object: isLink ? undefined : object };
}

/** Submodules (160000) are other repositories, and a path with a line break cannot be asked for. */
function isWanted({ mode, path }: Line, endings: readonly string[]): boolean {
  const isFile = mode === "100644" || mode === "100755" || mode === "120000";
  return isFile && !path.includes("\n") && endings.some((ending) => path.endsWith(ending));
}
