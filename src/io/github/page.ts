import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "../../redaction/shown.ts";
import { annotate } from "./annotations.ts";
import { notWritable, type StepFiles } from "./step-outputs.ts";

/**
 * The default name of the file. The artifact has the name of the file if a workflow uploads it as
 * it is.
 */
const usualName = "qvs-preview.html";
const namesPage = /^[\w-][\w.-]*\.html$/;

/**
 * Writes the page to a file. The file has the name of the artifact if that is a name for a page.
 */
export function writePage(page: Page, artifact: string | undefined, files: StepFiles) {
  const name = artifact !== undefined && namesPage.test(artifact) ? artifact : usualName;
  return writeTemporary(name, page, files);
}

/**
 * Writes a file to a new directory among the job's temporary files, which the runner deletes.
 * Returns its path.
 * If the write fails, it returns undefined. The step then fails, but still reports everything else.
 */
export function writeTemporary(
  name: string,
  text: string,
  { env: { RUNNER_TEMP }, sent }: StepFiles,
): string | undefined {
  const folder = RUNNER_TEMP || tmpdir();
  try {
    const path = join(mkdtempSync(join(folder, "qvs-")), name);
    writeFileSync(path, sent.hide(text));
    return path;
  } catch (error) {
    process.exitCode = 1;
    annotate([notWritable(`${name} can't be written to ${folder}`, error)], "error", "QVS");
    return undefined;
  }
}
