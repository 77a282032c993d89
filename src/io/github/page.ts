import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "../../redaction/shown.ts";

/** The file's name is that of the artifact, where it is uploaded as it is. */
const fileName = "qvs-preview.html";

export function writePage(page: Page, env: NodeJS.ProcessEnv): string {
  return writeTemporary(fileName, page, env);
}

/** Writes a file to a folder of its own among the job's temporary files, which the runner deletes; returns its path. */
export function writeTemporary(
  name: string,
  text: string,
  { RUNNER_TEMP }: NodeJS.ProcessEnv,
): string {
  const path = join(mkdtempSync(join(RUNNER_TEMP || tmpdir(), "qvs-")), name);
  writeFileSync(path, text);
  return path;
}
