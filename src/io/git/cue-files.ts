import { UserError } from "../../model/problems/errors.ts";
import { followLinks } from "./follow-links.ts";
import type { TreeEntry } from "./list-tree.ts";
import type { CommitListing } from "./repository.ts";

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
