import { UserError } from "../../model/problems/errors.ts";
import { followLinks } from "./follow-links.ts";
import type { CommitListing } from "./repository.ts";
import { type GitCall, gitError, runGit } from "./run-git.ts";

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

/**
 * The maximum number of directories. Directories behind links can contain links to each other, so a
 * longer path always exists.
 */
const maxFolders = 1000;
const maxFiles = 20_000;

/**
 * Returns the CUE files below a directory of a commit, by relative path, as they would be on disk.
 * It includes directories behind links, unless they are outside the directory.
 */
export function listCueFiles(
  folder: string,
  { entries, links }: CommitListing,
): ReadonlyMap<string, TreeEntry> {
  const found = new Map<string, TreeEntry>();
  const linkPaths = [...links.keys()].map((path) => ({ path }));
  let folders = 0;
  const visit = (real: string, shown: string, around: readonly string[]) => {
    for (const { name, entry } of listBelow(real, entries)) {
      if (name.endsWith(".cue")) found.set(shown + name, entry);
    }
    folders += 1;
    if (folders > maxFolders || found.size > maxFiles) throw tooMany(folder);
    for (const { name, entry } of listBelow(real, linkPaths)) {
      const { end } = followLinks(entry.path, (link) => links.get(link));
      if (end === undefined || !isInside(folder, end) || around.includes(end)) continue;
      visit(end, `${shown}${name}/`, [...around, end]);
    }
  };
  visit(folder, "", [folder]);
  return found;
}

/** Reports whether CUE ignores a file, because its name begins with a dot or an underscore. */
export function isIgnoredByCue(path: string): boolean {
  return /(^|\/)[._][^/]*$/.test(path);
}

function isInside(folder: string, path: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

/** Returns the entries below a directory, at any depth, with their relative names. */
function listBelow<T extends { readonly path: string }>(folder: string, entries: readonly T[]) {
  const start = folder === "" ? "" : `${folder}/`;
  return entries
    .filter(({ path }) => path.startsWith(start))
    .map((entry) => ({ name: entry.path.slice(start.length), entry }));
}

function tooMany(folder: string): Error {
  return new UserError([
    {
      code: "input-too-large",
      where: [],
      what: `The directory "${folder || "."}" contains too many files`,
      why: "qvs counts a file again for each link that leads to its directory",
      facts: [
        { label: "limit", value: `${maxFiles} CUE files, ${maxFolders} directories behind links` },
      ],
      fix: "Remove links between its directories",
    },
  ]);
}
