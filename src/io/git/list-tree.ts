import { gitError } from "./git-error.ts";
import { type GitCall, runGit } from "./run-git.ts";

/**
 * A file of a commit. `object` is undefined if only the path is known, or if git has to follow a
 * link.
 */
export interface TreeEntry {
  readonly path: string;
  readonly object: string | undefined;
}

/**
 * Returns the files and links below a directory of a commit ("" for the root) whose path ends in
 * one of `endings`.
 */
export async function listTree(
  commit: string,
  folder: string,
  endings: readonly string[],
  call: GitCall,
): Promise<readonly TreeEntry[]> {
  const lines = await readLines(commit, folder, call);
  const selected = lines
    .filter(isFileOrLink)
    .filter(({ path }) => endings.some((ending) => path.endsWith(ending)));
  return selected.map(asFile);
}

/** Everything that a commit contains. */
export interface TreeContent {
  /** Files and links. */
  readonly entries: readonly TreeEntry[];
  /** The links again, with the objects that contain their targets. */
  readonly links: readonly TreeEntry[];
  /** The paths of the submodules, which are other repositories. */
  readonly submodules: readonly string[];
  /** The files and links whose path contains a line break. qvs can't ask git for them. */
  readonly unnamable: readonly string[];
}

export async function listAll(commit: string, call: GitCall): Promise<TreeContent> {
  const lines = await readLines(commit, "", call);
  const readable = lines.filter(isFileOrLink);
  const pathsOf = (some: readonly TreeLine[]) => some.map(({ path }) => path);
  return {
    entries: readable.map(asFile),
    links: readable.filter(isLink),
    submodules: pathsOf(lines.filter(({ mode }) => mode === "160000")),
    unnamable: pathsOf(lines.filter(({ path }) => path.includes("\n"))),
  };
}

async function readLines(
  commit: string,
  folder: string,
  call: GitCall,
): Promise<readonly TreeLine[]> {
  const below = folder === "" ? [] : [`${folder.replace(/(?<!\/)\/+$/, "")}/`];
  // Some versions of git in use don't know `--end-of-options`. A full commit id doesn't need it.
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new Error(`Not a full commit id: ${commit}`);
  const answer = await runGit(["ls-tree", "-r", "-z", "--full-tree", commit, "--", ...below], call);
  if (answer.code !== 0) throw gitError("read the files of the commit", answer);
  const lines = answer.stdout.toString().split("\0").filter(Boolean);
  return lines.map(readLine);
}

interface TreeLine extends TreeEntry {
  readonly mode: string;
}

/** Reads one line: `<mode> <type> <object>\t<path>`. */
function readLine(line: string): TreeLine {
  const tab = line.indexOf("\t");
  const [mode = "", , object = ""] = line.slice(0, tab).split(" ");
  return { mode, path: line.slice(tab + 1), object };
}

/** Reports whether qvs reads the path. */
function isFileOrLink(line: TreeLine): boolean {
  const isFile = line.mode === "100644" || line.mode === "100755" || isLink(line);
  return isFile && !line.path.includes("\n");
}

function isLink({ mode }: TreeLine): boolean {
  return mode === "120000";
}

function asFile(line: TreeLine): TreeEntry {
  return { path: line.path, object: isLink(line) ? undefined : line.object };
}
