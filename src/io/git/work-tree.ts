import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { catchProblems, UserError, unplacedError } from "../../model/problems/errors.ts";
import {
  directoryLinkProblem,
  fileErrorFix,
  irregularFileProblem,
  isLfsPointer,
  lfsPointerProblem,
  lineBreakProblem,
  submoduleProblem,
  unreadableDirectoryProblem,
} from "../../model/problems/file-problems.ts";
import { resultProblems } from "../../model/problems/problem.ts";
import type { OmittedPath, SourceTree } from "../../ports/git.ts";
import type { Environment } from "../environment.ts";
import { listEntries } from "../files/directories.ts";
import { explainAbsence } from "./commit-links.ts";
import { followLinks, routePaths } from "./follow-links.ts";
import { findTrackedByLfs } from "./lfs-attributes.ts";
import { isIgnoredByCue } from "./list-tree.ts";
import {
  gitDirectoryError,
  isGitDirectory,
  missingDirectoryError,
  outsideError,
  requireInside,
} from "./safe-path.ts";
import { type SubmoduleLookup, workTreeSubmodules } from "./submodules.ts";

/**
 * The maximum size of a file. Configs and parameter files have a few kilobytes. The limit only
 * keeps a wrong path from filling the memory.
 */
const maxFileBytes = 16 * 1024 * 1024;

/**
 * Returns the files as they are on disk now, including uncommitted changes. It omits the files of
 * submodules, because a commit doesn't contain them.
 */
export function openWorkTree(root: string, environment: Environment = {}): SourceTree {
  const submoduleOf = workTreeSubmodules(root);
  const readLink = (path: string) => linkTarget(join(root, path));
  const resolves = (link: string) => existsSync(join(root, link));
  const find = async (path: string) => {
    // An asynchronous call needs several times the CPU time, and a chart has hundreds of files.
    const base = realpathSync.native(root);
    const file = locate(base, path);
    const submodule = file === undefined ? undefined : submoduleOf(pathBelow(base, file));
    if (submodule !== undefined) throw unplacedError(submoduleProblem(submodule));
    const absence =
      file === undefined ? explainAbsence(path, { readLink, resolves, submoduleOf }) : undefined;
    if (absence !== undefined) throw unplacedError(absence);
    return file;
  };
  const readBytes = async (path: string) => {
    const file = await find(path);
    return file === undefined ? undefined : readContent(file, path);
  };
  // A caller that needs the files usually needs the omitted paths right after them.
  let walked: WalkedFiles | undefined;
  const walk = () => {
    if (walked === undefined) setImmediate(() => (walked = undefined));
    walked ??= walkWorkTree(root, submoduleOf);
    return walked;
  };
  // Hundreds of deployments can use one module.
  const checked = new Map<string, Promise<void>>();
  const requireCue = (directory: string) => {
    const known =
      checked.get(directory) ?? requireCueFiles(walkWorkTree(root, submoduleOf, directory), find);
    checked.set(directory, known);
    return known;
  };
  return {
    read: async (path) => (await readBytes(path))?.toString(),
    readBytes,
    async list(endings) {
      const { paths } = walk();
      return paths.filter((path) => endings.some((ending) => path.endsWith(ending))).sort();
    },
    async folder(path) {
      const directory = await find(path);
      if (directory === undefined || !(await stat(directory)).isDirectory())
        throw missingDirectoryError(path);
      await requireCue(pathBelow(realpathSync.native(root), directory));
      return { in: "directory", directory };
    },
    linkedPaths: async (path) => routePaths(path, followLinks(path, readLink)),
    async omitted() {
      const { paths, submodules, unreadable, irregular, links } = walk();
      const unnamable = paths.filter((path) => path.includes("\n"));
      const omittedLinks = links.map((path) => omittedLink(path, root, find, readLink));
      return [
        ...submodules.map((path) => ({ path, problem: submoduleProblem(path) })),
        ...unreadable,
        ...irregular.map((path) => ({ path, problem: irregularFileProblem(path) })),
        ...unnamable.map((path) => ({ path, problem: lineBreakProblem(path) })),
        ...(await Promise.all(omittedLinks)).filter((each) => each !== undefined),
      ];
    },
    trackedByLfs: (paths) => findTrackedByLfs(paths, { directory: root, environment }),
  };
}

/**
 * Throws an error for CUE files that are links to nothing or to the outside, as a commit does. The
 * engine would only report that it can't read the file.
 */
async function requireCueFiles(
  { links }: WalkedFiles,
  find: (path: string) => Promise<string | undefined>,
): Promise<void> {
  const needed = links.filter((path) => path.endsWith(".cue") && !isIgnoredByCue(path));
  const found = await Promise.all(needed.map((path) => catchProblems(() => find(path))));
  const problems = found.flatMap(resultProblems);
  if (problems.length > 0) throw new UserError(problems);
}

/** Returns a link if it doesn't lead to a file. */
async function omittedLink(
  path: string,
  root: string,
  find: (path: string) => Promise<string | undefined>,
  readLink: (path: string) => string | undefined,
): Promise<OmittedPath | undefined> {
  const found = await catchProblems(() => find(path));
  const [problem] = resultProblems(found);
  if (problem !== undefined) return { path, problem };
  const file = found.ok ? found.value : undefined;
  const entry = file === undefined ? undefined : await stat(file).catch(() => undefined);
  if (entry?.isFile()) return undefined;
  if (entry?.isDirectory() !== true) return { path, problem: irregularFileProblem(path) };
  const { end } = followLinks(path, readLink);
  const directory = end ?? relative(realpathSync.native(root), file ?? "");
  return { path, problem: directoryLinkProblem(path), directory };
}

/**
 * Returns the real path of a file or directory below the real path of the root; undefined if it
 * doesn't exist.
 */
function locate(base: string, path: string): string | undefined {
  const real = realPath(join(base, requireInside(path)), handleFileError(path));
  if (real !== undefined && real !== base && !real.startsWith(base + sep)) throw outsideError(path);
  if (real !== undefined && relative(base, real).split(sep).some(isGitDirectory))
    throw gitDirectoryError(path);
  return real;
}

function realPath(
  path: string,
  onError: (error: NodeJS.ErrnoException) => undefined,
): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    return onError(error as NodeJS.ErrnoException);
  }
}

/** Returns the path of a real path from the real path of the root. */
function pathBelow(base: string, real: string): string {
  return relative(base, real).split(sep).join("/");
}

/**
 * Returns the target of a link; undefined for any other path.
 * qvs calls this for every part of the path of every file. An exception for each part that isn't a
 * link would cost more than the rest.
 */
function linkTarget(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns a handler of file errors. A path that doesn't exist is undefined. Other errors, such as
 * missing permissions or a cycle of links, are for the user to fix.
 */
function handleFileError(path: string): (error: NodeJS.ErrnoException) => undefined {
  return ({ code }) => {
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UserError([
      {
        code: "file-not-readable",
        where: [],
        what: `"${path}" can't be read`,
        ...(code === undefined ? {} : { facts: [{ label: "error", value: code }] }),
        fix: fileErrorFix(code, "Check the file's permissions and links"),
      },
    ]);
  };
}

async function readContent(file: string, path: string): Promise<Buffer | undefined> {
  const found = await stat(file).catch(handleFileError(path));
  if (found === undefined || found.isDirectory()) return undefined;
  // A read of a pipe or a device might never end.
  if (!found.isFile()) throw unplacedError(irregularFileProblem(path));
  if (found.size > maxFileBytes) throw tooLarge(path);
  const content = await readFile(file).catch(handleFileError(path));
  if (content !== undefined && isLfsPointer(content)) throw unplacedError(lfsPointerProblem(path));
  return content;
}

function tooLarge(path: string): UserError {
  return new UserError([
    {
      code: "input-too-large",
      where: [],
      what: `"${path}" is too large to read`,
      facts: [{ label: "limit", value: `${maxFileBytes >> 20} MiB` }],
      fix: "Use another file",
    },
  ]);
}

/** The content of a working tree. All paths start at its root. */
interface WalkedFiles {
  /** Files and links. */
  readonly paths: readonly string[];
  readonly links: readonly string[];
  /** Pipes, sockets and devices. */
  readonly irregular: readonly string[];
  readonly submodules: readonly string[];
  readonly unreadable: readonly OmittedPath[];
}

/**
 * Finds all files below a directory of the root. It doesn't follow links to directories, so that
 * the walk ends.
 */
function walkWorkTree(root: string, submoduleOf: SubmoduleLookup, folder = ""): WalkedFiles {
  const toPath = (name: string) => relative(root, name).split(sep).join("/");
  const directories = new Map<string, string>();
  const pathIn = (directory: string, name: string) => {
    const below = directories.get(directory) ?? toPath(directory);
    directories.set(directory, below);
    return below === "" ? name : `${below}/${name}`;
  };
  const submodules: string[] = [];
  const unreadable: OmittedPath[] = [];
  const entries = listEntries(join(root, folder), {
    enters(name, parentPath) {
      // Neither directory contains files of the application, and both can be huge.
      if (isGitDirectory(name) || name === "node_modules") return false;
      const path = pathIn(parentPath, name);
      const isSubmodule = submoduleOf(path) !== undefined;
      if (isSubmodule) submodules.push(path);
      return !isSubmodule;
    },
    // Only an input that contains an unreadable directory needs it. It can be the data directory of
    // a database.
    onUnreadable(error) {
      const { code = "", path: directory = root } = error as NodeJS.ErrnoException;
      const path = toPath(directory);
      unreadable.push({ path, problem: unreadableDirectoryProblem(path, code) });
    },
  });
  const pathsOf = (some: typeof entries) =>
    some.map(({ parentPath, name }) => pathIn(parentPath, name));
  return {
    paths: pathsOf(entries.filter((entry) => entry.isFile() || entry.isSymbolicLink())),
    links: pathsOf(entries.filter((entry) => entry.isSymbolicLink())),
    irregular: pathsOf(entries.filter((entry) => !entry.isFile() && !entry.isSymbolicLink())),
    submodules: submodules.sort(),
    unreadable,
  };
}
