import { posix } from "node:path";
import { unplacedError, userError } from "../../../model/problems/errors.ts";
import { isLfsPointer, lfsPointerProblem } from "../../../model/problems/file-problems.ts";
import type { EmbeddedFiles } from "../../../ports/cue.ts";
import { embedLimit, readLimit } from "../../cue/root-files.ts";
import { linkProblem } from "../commit-links.ts";
import { followLinks } from "../follow-links.ts";
import type { TreeEntry } from "../list-tree.ts";
import type { CommitListing, ObjectRepository } from "../repository.ts";
import { type EmbedName, findEmbedNames } from "./embed-names.ts";

/** Reports whether a part of a path has characters that match others. */
function isGlob(part: string): boolean {
  return /[*?[\\]/.test(part);
}

/** A literal character, any single character, or any number of characters. */
type GlobStep = string | typeof one | typeof any;
const one = Symbol("one");
const any = Symbol("any");

/**
 * Reports whether a name might match a part of a glob, by the rules of Go's `path.Match`.
 * `[…]` matches every character, because the engine compares again. The search goes through the
 * name once per `*`, so that no pattern makes it slow.
 */
export function mightMatch(pattern: string, name: string): boolean {
  const steps = parseGlob(pattern);
  const characters = Array.from(name);
  let step = 0;
  let back: { readonly step: number; at: number } | undefined;
  let at = 0;
  while (at < characters.length) {
    const next = steps[step];
    if (next === any) {
      step += 1;
      back = { step, at };
    } else if (next === one || next === characters[at]) {
      step += 1;
      at += 1;
    } else if (back === undefined) return false;
    else {
      back.at += 1;
      [step, at] = [back.step, back.at];
    }
  }
  return steps.slice(step).every((left) => left === any);
}

function parseGlob(pattern: string): readonly GlobStep[] {
  const characters = Array.from(pattern);
  const steps: GlobStep[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const each = characters[at] ?? "";
    if (each === "*") steps.push(any);
    else if (each === "?") steps.push(one);
    else if (each === "[") {
      at = endOfClass(characters, at);
      steps.push(one);
    } else if (each === "\\") {
      at += 1;
      steps.push(characters[at] ?? "");
    } else steps.push(each);
  }
  return steps;
}

/** Returns the end of `[…]`. A bracket in the first position belongs to the class. */
function endOfClass(characters: readonly string[], from: number): number {
  const first = characters[from + 1] === "^" ? from + 2 : from + 1;
  for (let at = first; at < characters.length; at += 1) {
    if (characters[at] === "\\") at += 1;
    else if (characters[at] === "]" && at > first) return at;
  }
  return characters.length;
}

/**
 * The maximum number of files, counted with the directories on their paths. No adapter consists of
 * more.
 */
const maxSteps = 20_000;
/**
 * The maximum number of names in the attributes of a directory, and of characters that globs
 * compare. Only input that is made to be slow exceeds them.
 */
const maxNames = 10_000;
const maxCompared = 200_000_000;

/** Files by their path from the directory. `outside` is a link that leads out of it. */
export type FoundEmbeds = ReadonlyMap<string, TreeEntry | "outside">;

/**
 * Finds the files of a commit that an `@embed` in a CUE file of a directory names. It follows links
 * as long as they stay in the directory.
 */
export function findEmbedded(
  folder: string,
  texts: ReadonlyMap<string, string>,
  listing: CommitListing,
): FoundEmbeds {
  const found = new Map<string, TreeEntry | "outside">();
  const embedding = [...texts].filter(([, text]) => text.includes("@embed"));
  if (embedding.length === 0) return found;
  const walk = walker(folder, listing, found);
  let names = 0;
  for (const [file, text] of embedding) {
    const shown = posix.dirname(file);
    const { end } = followLinks(posix.join(folder, shown), (link) => listing.links.get(link));
    for (const name of findEmbedNames(text)) {
      names += 1;
      if (names > maxNames) throw tooMany(folder);
      if (end !== undefined) walk(end, shown === "." ? "" : `${shown}/`, splitPath(name));
    }
  }
  return new Map([...found].filter(([path]) => !texts.has(path)));
}

interface PathPart {
  readonly text: string;
  readonly isGlob: boolean;
}

/** Splits a path. A path that CUE rejects has no parts. */
function splitPath({ type, path }: EmbedName): readonly PathPart[] {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) return [];
  return parts.map((text) => ({ text, isGlob: type === "glob" && isGlob(text) }));
}

/**
 * Returns a function that adds the files at the parts of a path, relative to a directory.
 * `real` is the path of this directory without links, and `shown` is its path for CUE.
 */
function walker(folder: string, listing: CommitListing, found: Map<string, TreeEntry | "outside">) {
  const inFolder = listDirectoryContents(listing);
  let steps = 0;
  let compared = 0;
  const walk = (real: string, shown: string, [part, ...rest]: readonly PathPart[]): void => {
    const content = inFolder.get(real);
    if (part === undefined || content === undefined) return;
    if (part.isGlob) compared += part.text.length * countCharacters(content);
    if (compared > maxCompared) throw tooMany(folder);
    for (const name of matchingNames(part, content)) {
      steps += 1;
      if (steps > maxSteps) throw tooMany(folder);
      const { end } = followLinks(posix.join(real, name), (link) => listing.links.get(link));
      const isInside = end !== undefined && isWithin(folder, end);
      if (rest.length > 0) {
        if (isInside) walk(end, `${shown}${name}/`, rest);
        continue;
      }
      const entry = isInside
        ? inFolder.get(parentDirectory(end))?.get(posix.basename(end))
        : "outside";
      if (entry === undefined) requireLinked(posix.join(real, name), listing);
      if (entry !== undefined && entry !== "folder") found.set(shown + name, entry);
    }
  };
  return walk;
}

/** Throws an error for a link to nothing. A glob would leave the file out. */
function requireLinked(path: string, listing: CommitListing): void {
  const problem = linkProblem(path, listing);
  if (problem !== undefined) throw unplacedError(problem);
}

type DirectoryContent = ReadonlyMap<string, TreeEntry | "folder">;

function matchingNames({ text, isGlob }: PathPart, content: DirectoryContent): readonly string[] {
  if (!isGlob) return content.has(text) ? [text] : [];
  const isShown = (name: string) => !name.startsWith(".") || text.startsWith(".");
  return [...content.keys()].filter((name) => isShown(name) && mightMatch(text, name));
}

/** Counts the characters of all names. */
function countCharacters(content: DirectoryContent): number {
  return content.keys().reduce((sum, name) => sum + name.length, 0);
}

/** Returns the direct content of each directory; "" is the root. */
function listDirectoryContents({ entries }: CommitListing): ReadonlyMap<string, DirectoryContent> {
  const folders = new Map<string, Map<string, TreeEntry | "folder">>();
  const add = (path: string, content: TreeEntry | "folder"): void => {
    const parent = parentDirectory(path);
    const known = folders.get(parent);
    if (known !== undefined) return void known.set(posix.basename(path), content);
    folders.set(parent, new Map([[posix.basename(path), content]]));
    if (parent !== "") add(parent, "folder");
  };
  for (const entry of entries) add(entry.path, entry);
  return folders;
}

function parentDirectory(path: string): string {
  const parent = posix.dirname(path);
  return parent === "." ? "" : parent;
}

function isWithin(folder: string, path: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}

function tooMany(folder: string): Error {
  return userError(
    "input-too-large",
    `The CUE files in "${folder || "."}" embed too many files`,
    "Use a narrower glob in @embed, or name the files",
  );
}

/** Reads only those files of a commit that the CUE files of a directory embed. */
export async function readEmbedded(
  repository: Pick<ObjectRepository, "readSmall">,
  commit: string,
  folder: string,
  texts: ReadonlyMap<string, string>,
  listing: CommitListing,
): Promise<EmbeddedFiles> {
  const found = findEmbedded(folder, texts, listing);
  const entries = [...found.values()].filter((entry) => entry !== "outside");
  // One file can have several names, through links.
  const distinct = new Map(entries.map((entry): [string, TreeEntry] => [entry.path, entry]));
  const limits = { largest: embedLimit, most: readLimit };
  const contents = await repository.readSmall(commit, [...distinct.values()], limits);
  const embedded = [...found].map(
    ([path, entry]): [string, Uint8Array | "outside" | "too large"] => {
      if (entry === "outside") return [path, entry];
      const content = contents.get(entry.path);
      if (content !== undefined && isLfsPointer(content))
        throw unplacedError(lfsPointerProblem(entry.path));
      // A copy, because a worker would receive the whole buffer that the content is a part of.
      return [path, content === undefined ? "too large" : Uint8Array.from(content)];
    },
  );
  return new Map(embedded);
}
