import { lstat, mkdir, open, rm, rmdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { catchProblems, UserError } from "../../model/problems/errors.ts";
import { pathOfError, unwritable } from "./replace-file.ts";
import { rejectLinks } from "./replace-files.ts";

/** Writes new files: all of them, or none. Throws a UserError that lists all existing files. */
export async function writeNewFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const paths = [...files.keys()];
  await rejectExisting(folder, paths);
  await rejectLinksInPaths(folder, paths);
  const made: CreatedPaths = { files: [], directories: [] };
  try {
    for (const [path, text] of files) await writeNewFile(join(folder, path), text, made);
  } catch (error) {
    await removeCreated(made);
    throw unwritable(error, pathOfError(error) ?? folder, "Check the permissions of the directory");
  }
}

/** The files and directories that were created so far, which are deleted after an error. */
interface CreatedPaths {
  readonly files: string[];
  /** The created directories, outermost first. */
  readonly directories: string[];
}

async function writeNewFile(file: string, text: string, { files, directories }: CreatedPaths) {
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
async function removeCreated({ files, directories }: CreatedPaths): Promise<void> {
  for (const file of files) await rm(file, { force: true });
  for (const directory of directories.toReversed()) await rmdir(directory).catch(() => {});
}

/** Throws a UserError that lists all existing files. */
export async function rejectExisting(folder: string, paths: readonly string[]): Promise<void> {
  const exists = await Promise.all(paths.map((path) => pathExists(join(folder, path))));
  const present = paths.filter((_, index) => exists[index]);
  if (present.length > 0) throw existingFilesError(present);
}

async function rejectLinksInPaths(folder: string, paths: readonly string[]): Promise<void> {
  const isSafe = await catchProblems(() => rejectLinks(folder, folder, paths));
  if (isSafe.ok) return;
  const fixes = { fix: "Replace it with a regular directory or file", otherwise: ["remove it"] };
  throw new UserError(isSafe.problems.map((problem) => ({ ...problem, ...fixes })));
}

async function pathExists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}

function existingFilesError(paths: readonly string[]): UserError {
  const isOne = paths.length === 1;
  const onlyWorkflows = paths.every((path) => path.startsWith(".github/"));
  return new UserError([
    {
      code: "output-not-writable",
      where: [],
      what: isOne ? `"${paths[0]}" already exists` : `${paths.length} files already exist`,
      why: "qvs init doesn't overwrite files",
      ...(isOne ? {} : { facts: [{ label: "files", value: paths.join(", ") }] }),
      ...(onlyWorkflows ? workflowFixes : fileFixes),
    },
  ]);
}

const workflowFixes = { fix: "Add --no-workflows, and add a job for qvs to your own workflows" };

const fileFixes = {
  fix: "Move the existing files to another directory",
  otherwise: ["add the missing parts manually: qvs init is for repositories without a config"],
};
