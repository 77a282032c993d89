import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { UserError } from "../../model/problems/errors.ts";
import { fileErrorFix } from "../../model/problems/file-error-fix.ts";
import type { SourceTree } from "../../ports/git.ts";
import { listEntries } from "../files/list-entries.ts";
import { followLinks, routePaths } from "./follow-links.ts";
import {
  gitDirectoryError,
  isGitDirectory,
  missingDirectoryError,
  outsideError,
  requireInside,
} from "./safe-path.ts";

/**
 * The maximum size of a file. Configs and parameter files have a few kilobytes. The limit only
 * keeps a wrong path from filling the memory.
 */
const maxFileBytes = 16 * 1024 * 1024;

/** Returns the files as they are on disk now, including uncommitted changes. */
export function openWorkTree(root: string): SourceTree {
  const readBytes = async (path: string) => {
    const file = await locate(root, path);
    return file === undefined ? undefined : readContent(file, path);
  };
  return {
    read: async (path) => (await readBytes(path))?.toString(),
    readBytes,
    async list(endings) {
      const paths = listFiles(root);
      return paths.filter((path) => endings.some((ending) => path.endsWith(ending))).sort();
    },
    async folder(path) {
      const directory = await locate(root, path);
      if (directory === undefined || !(await stat(directory)).isDirectory())
        throw missingDirectoryError(path);
      return { in: "directory", directory };
    },
    linkedPaths: async (path) =>
      routePaths(
        path,
        followLinks(path, (link) => linkTarget(join(root, link))),
      ),
  };
}

/**
 * Returns the real path of a file or directory in the repository; undefined if it doesn't exist.
 */
async function locate(root: string, path: string): Promise<string | undefined> {
  // An asynchronous call needs several times the CPU time, and a chart has hundreds of files.
  const base = realpathSync.native(root);
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
  const { size, ...found } = await stat(file).then((s) => ({ size: s.size, isFile: s.isFile() }));
  // A read of a pipe or a device might never end.
  if (!found.isFile) return undefined;
  if (size > maxFileBytes) throw tooLarge(path);
  return readFile(file).catch(handleFileError(path));
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

/**
 * Returns the path of every file below the root. It doesn't follow links to directories, so that
 * the walk ends.
 */
function listFiles(root: string): readonly string[] {
  const entries = listEntries(root, {
    // Neither directory contains files of the application, and both can be huge.
    enters: (name) => !isGitDirectory(name) && name !== "node_modules",
    // An unreadable directory, such as the data directory of a database, isn't part of the
    // application.
    onUnreadable: () => undefined,
  });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)).split(sep).join("/"));
}
