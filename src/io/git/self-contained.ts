import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { join, resolve, sep } from "node:path";

/**
 * Whether git, asked for a repository in `directory`, reads nothing outside of `root`. A commit can bring a bare repository
 * along as plain files, and with it what makes git look for objects anywhere on the machine: a `.git` file or `commondir`
 * that leads elsewhere, alternates, and links.
 */
export async function isSelfContained(directory: string, root: string): Promise<boolean> {
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
  const entries = await readdir(real, { recursive: true, withFileTypes: true });
  return entries.every((entry) => !entry.isSymbolicLink());
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").then(
    (text) => text.trim(),
    () => undefined,
  );
}
