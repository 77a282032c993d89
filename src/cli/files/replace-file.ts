import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UserError } from "../../model/problems/errors.ts";
import { fileErrorFix } from "../../model/problems/file-problems.ts";

/**
 * Replaces a file atomically: after an interruption or on a full disk, the former file is complete.
 * The directory must exist. A link of this name is replaced, not followed.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = join(dirname(file), `.qvs-${randomUUID()}`);
  try {
    await writeFile(draft, text, { flag: "wx" });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Returns the error of a write as a UserError that names a file, with the advice for denied
 * permissions. Throws the error again if it isn't one of the file system.
 */
export function unwritable(error: unknown, file: string, advice: string): UserError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return new UserError([
    {
      code: "output-not-writable",
      where: [],
      what: `"${file}" can't be written`,
      facts: [{ label: "error", value: code }],
      fix: fileErrorFix(code, advice),
    },
  ]);
}

/** Returns the file that an error of the file system names. */
export function pathOfError(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).path;
}
