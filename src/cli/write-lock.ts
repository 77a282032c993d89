import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { catchProblems } from "../commands/catch-problems.ts";
import { UserError, userError } from "../errors.ts";
import { refuseLinks } from "./refuse-links.ts";

/** Replaces a lock in one step. Nothing is written through a link, which may have come with the repository. */
export async function writeLock(root: string, file: string, text: string): Promise<void> {
  const isSafe = await catchProblems(() => refuseLinks(root, root, [file]));
  if (!isSafe.ok) {
    const fix = "Put a plain folder and file there, or remove what is in the way";
    throw new UserError(isSafe.problems.map((problem) => ({ ...problem, fix })));
  }
  const draft = join(root, dirname(file), `.qvs.lock-${randomUUID()}`);
  try {
    await writeFile(draft, text, { flag: "wx" });
    await rename(draft, join(root, file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw userError(`${file} cannot be written (${code})`, "Check the folder's permissions");
  } finally {
    await rm(draft, { force: true });
  }
}
