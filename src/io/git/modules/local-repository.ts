import { lstat, readFile, realpath } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { UnplacedProblem } from "../../../model/problems/problem.ts";
import { listEntries } from "../../files/directories.ts";
import type { ModuleAddress } from "./address.ts";

/** The repositories on this machine that a config can name. */
export interface LocalAccess {
  /**
   * The application's repository. Relative paths start at its root. By default, qvs reads nothing
   * outside it.
   */
  readonly base: string;
  /**
   * True if the user who runs qvs allows other repositories. A pull request must not choose files
   * of the machine.
   */
  readonly anywhere?: boolean;
}

/** Reports whether an address is local: `file://…`, `/…`, `./…` or `../…`. */
export function isLocal(repo: string): boolean {
  return /^(file:\/\/|\/|\.\.?(\/|$))/.test(repo);
}

export async function readLocal(
  repo: string,
  { base, anywhere = false }: LocalAccess,
): Promise<ModuleAddress | UnplacedProblem> {
  const path = localPath(repo, base);
  const real = path === undefined ? undefined : await realpath(path).catch(() => undefined);
  const root = await realpath(base);
  // git created the application's own repository. A commit can have added a repository within it.
  const isOurs =
    real === root || (real?.startsWith(root + sep) && (await isSelfContained(real, root)));
  if (real !== undefined && (anywhere || isOurs)) {
    return { url: pathToFileURL(real).href, key: real };
  }
  if (real === undefined && anywhere) {
    return {
      code: "module-repository-not-found",
      what: `The repository "${repo}" doesn't exist`,
      fix: "Correct the path",
    };
  }
  return {
    code: "path-outside-repository",
    what: `The module repository "${repo}" isn't inside this repository`,
    fix: "Use the address of its host",
    otherwise: ["write local: {path: …} for a directory of this repository"],
  };
}

function localPath(repo: string, base: string): string | undefined {
  if (!repo.startsWith("file://")) return resolve(base, repo);
  try {
    return fileURLToPath(repo);
  } catch {
    return undefined;
  }
}

/**
 * Reports whether git reads nothing outside `root` when it opens a repository in `directory`.
 * A commit can contain a bare repository as plain files. That repository can make git look for
 * objects anywhere on the machine: by a `.git` file or `commondir` that leads elsewhere, by
 * alternates, or by symbolic links.
 */
async function isSelfContained(directory: string, root: string): Promise<boolean> {
  const gitFolder = await findGitDirectory(directory);
  const common = await readText(join(gitFolder, "commondir"));
  const folders = [gitFolder, ...(common === undefined ? [] : [resolve(gitFolder, common)])];
  const checks = await Promise.all(folders.map((folder) => staysInside(folder, root)));
  return checks.every(Boolean);
}

async function findGitDirectory(directory: string): Promise<string> {
  const inside = join(directory, ".git");
  const pointer = await readText(inside);
  const target = /^gitdir: (.+)$/m.exec(pointer ?? "")?.[1];
  if (target !== undefined) return resolve(directory, target);
  const found = await lstat(inside).catch(() => undefined);
  return found === undefined ? directory : inside;
}

async function staysInside(folder: string, root: string): Promise<boolean> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined || !(real === root || real.startsWith(root + sep))) return false;
  if ((await readText(join(real, "objects/info/alternates"))) !== undefined) return false;
  return listEntries(real).every((entry) => !entry.isSymbolicLink());
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}
