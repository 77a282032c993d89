import { lstat, mkdir, open, rm, rmdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { catchProblems, UserError, userError } from "../../model/problems/errors.ts";
import { refuseLinks } from "./refuse-links.ts";

/** Writes new files: all of them, or none. Throws a UserError that lists all existing files. */
export async function writeNewFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const paths = [...files.keys()];
  await refuseExisting(folder, paths);
  await refuseLinksOnTheWay(folder, paths);
  const made: Made = { files: [], directories: [] };
  try {
    for (const [path, text] of files) await writeNewFile(join(folder, path), text, made);
  } catch (error) {
    await removeMade(made);
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw userError(
      "output-not-writable",
      `${path ?? folder} cannot be written (${code})`,
      "Check the folder's permissions",
    );
  }
}

/** The files and directories that were created so far, which are deleted after an error. */
interface Made {
  readonly files: string[];
  /** The created directories, outermost first. */
  readonly directories: string[];
}

async function writeNewFile(file: string, text: string, { files, directories }: Made) {
  const innermost = dirname(file);
  const outermost = await mkdir(innermost, { recursive: true });
  if (outermost !== undefined) directories.push(...directoriesBetween(outermost, innermost));
  const handle = await open(file, "wx");
  // From here on qvs deletes the file after an error, even if it is incomplete.
  files.push(file);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}

function directoriesBetween(outermost: string, innermost: string): readonly string[] {
  const parts = relative(outermost, innermost).split(sep).filter(Boolean);
  return [outermost, ...parts.map((_, index) => join(outermost, ...parts.slice(0, index + 1)))];
}

/**
 * Deletes the created files and directories. A directory stays if another process has added a file
 * to it.
 */
async function removeMade({ files, directories }: Made): Promise<void> {
  for (const file of files) await rm(file, { force: true });
  for (const directory of directories.toReversed()) await rmdir(directory).catch(() => {});
}

/** Throws a UserError that lists all existing files. */
export async function refuseExisting(folder: string, paths: readonly string[]): Promise<void> {
  const there = await Promise.all(paths.map((path) => isThere(join(folder, path))));
  const present = paths.filter((_, index) => there[index]);
  if (present.length > 0) throw inTheWay(present);
}

async function refuseLinksOnTheWay(folder: string, paths: readonly string[]): Promise<void> {
  const isSafe = await catchProblems(() => refuseLinks(folder, folder, paths));
  if (isSafe.ok) return;
  const fix = "Replace it with a plain folder or file, or remove it";
  throw new UserError(isSafe.problems.map((problem) => ({ ...problem, fix })));
}

async function isThere(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}

function inTheWay(paths: readonly string[]): UserError {
  const are = paths.length === 1 ? "is" : "are";
  const onlyWorkflows = paths.every((path) => path.startsWith(".github/"));
  return userError(
    "output-not-writable",
    `${paths.join(", ")} ${are} there already, and nothing is written over`,
    onlyWorkflows
      ? "Use --no-workflows, and add a job for qvs to your own workflows"
      : "Move them away, or add by hand what they lack: `qvs init` is for repositories without a QVS config",
  );
}
