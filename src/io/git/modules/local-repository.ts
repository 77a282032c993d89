import { lstat, readFile, realpath } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { entriesBelow } from "../../files/entries-below.ts";
import type { ModuleAddress, Refusal } from "./address.ts";

/** Which repositories on this machine a config may name. */
export interface LocalAccess {
  /** The application's repository: relative paths count from it, and nothing outside it is read ... */
  readonly base: string;
  /** ... unless whoever runs the program allows it. A pull request must not choose files of the machine. */
  readonly anywhere?: boolean;
}

/** `file://…`, `/…`, `./…` and `../…` */
export function isLocal(repo: string): boolean {
  return /^(file:\/\/|\/|\.\.?(\/|$))/.test(repo);
}

export async function readLocal(
  repo: string,
  { base, anywhere = false }: LocalAccess,
): Promise<ModuleAddress | Refusal> {
  const path = pathOf(repo, base);
  const real = path === undefined ? undefined : await realpath(path).catch(() => undefined);
  const root = await realpath(base);
  // The application's own repository is where git made it; one within it may have come with a commit.
  const isOurs =
    real === root || (real?.startsWith(root + sep) && (await isSelfContained(real, root)));
  if (real !== undefined && (anywhere || isOurs)) {
    return { url: pathToFileURL(real).href, key: real };
  }
  if (real === undefined && anywhere) {
    return {
      code: "module-repository-not-found",
      what: `There is no repository at ${repo}`,
      fix: "Correct the path",
    };
  }
  return {
    code: "path-outside-repository",
    what: `The module repository "${repo}" is not inside this repository`,
    fix: 'Use the address of its host, or "local: {path: …}" for a folder of this repository',
  };
}

function pathOf(repo: string, base: string): string | undefined {
  if (!repo.startsWith("file://")) return resolve(base, repo);
  try {
    return fileURLToPath(repo);
  } catch {
    return undefined;
  }
}

/**
 * Whether git, asked for a repository in `directory`, reads nothing outside of `root`. A commit can bring a bare repository
 * along as plain files, and with it what makes git look for objects anywhere on the machine: a `.git` file or `commondir`
 * that leads elsewhere, alternates, and links.
 */
async function isSelfContained(directory: string, root: string): Promise<boolean> {
  const gitFolder = await gitFolderOf(directory);
  const common = await readText(join(gitFolder, "commondir"));
  const folders = [gitFolder, ...(common === undefined ? [] : [resolve(gitFolder, common)])];
  const checks = await Promise.all(folders.map((folder) => isClosed(folder, root)));
  return checks.every(Boolean);
}

async function gitFolderOf(directory: string): Promise<string> {
  const inside = join(directory, ".git");
  const pointer = await readText(inside);
  const target = /^gitdir: (.+)$/m.exec(pointer ?? "")?.[1];
  if (target !== undefined) return resolve(directory, target);
  const found = await lstat(inside).catch(() => undefined);
  return found === undefined ? directory : inside;
}

async function isClosed(folder: string, root: string): Promise<boolean> {
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined || !(real === root || real.startsWith(root + sep))) return false;
  if ((await readText(join(real, "objects/info/alternates"))) !== undefined) return false;
  return entriesBelow(real).every((entry) => !entry.isSymbolicLink());
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}
