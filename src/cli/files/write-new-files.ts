import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { catchProblems, UserError, userError } from "../../model/problems/errors.ts";
import { refuseLinks } from "./refuse-links.ts";

/** Writes files that are not there yet: all of them, or none. Throws a UserError that names every file that is in the way. */
export async function writeNewFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const paths = [...files.keys()];
  await refuseExisting(folder, paths);
  await refuseLinksOnTheWay(folder, paths);
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: "wx" });
      written.push(file);
    }
  } catch (error) {
    for (const file of written) await rm(file, { force: true });
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw userError(
      "output-not-writable",
      `${path ?? folder} cannot be written (${code})`,
      "Check the folder's permissions",
    );
  }
}

/** Throws a UserError that names every file that is there already. */
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
