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
  const lines = await readLines(commit, folder, call);
  const selected = lines.filter(({ path }) => endings.some((ending) => path.endsWith(ending)));
  return selected.map(asFile);
}

/** All files and links of a commit, and once more its links, as the objects that hold their targets. */
export async function listAll(
  commit: string,
  call: GitCall,
): Promise<{ readonly entries: readonly TreeEntry[]; readonly links: readonly TreeEntry[] }> {
  const lines = await readLines(commit, "", call);
  return { entries: lines.map(asFile), links: lines.filter(isLink) };
}

async function readLines(commit: string, folder: string, call: GitCall): Promise<readonly Line[]> {
  const below = folder === "" ? [] : [`${folder.replace(/(?<!\/)\/+$/, "")}/`];
  // `--end-of-options` is not understood by every git that is in use; a full commit id needs none.
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new Error(`Not a full commit id: ${commit}`);
  const answer = await runGit(["ls-tree", "-r", "-z", "--full-tree", commit, "--", ...below], call);
  if (answer.code !== 0) throw gitError("Reading the files of a commit", answer);
  const lines = answer.stdout.toString().split("\0").filter(Boolean);
  return lines.map(readLine).filter(isFileOrLink);
}

interface Line extends TreeEntry {
  readonly mode: string;
}

/** `<mode> <type> <object>\t<path>` */
function readLine(line: string): Line {
  const tab = line.indexOf("\t");
  const [mode = "", , object = ""] = line.slice(0, tab).split(" ");
  return { mode, path: line.slice(tab + 1), object };
}

/** Submodules (160000) are other repositories, and a path with a line break cannot be asked for. */
function isFileOrLink(line: Line): boolean {
  const isFile = line.mode === "100644" || line.mode === "100755" || isLink(line);
  return isFile && !line.path.includes("\n");
}

function isLink({ mode }: Line): boolean {
  return mode === "120000";
}

function asFile(line: Line): TreeEntry {
  return { path: line.path, object: isLink(line) ? undefined : line.object };
}
