import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "../../redaction/shown.ts";
import { annotate } from "./annotations.ts";
import { notWritable } from "./not-writable.ts";
import type { StepFiles } from "./step-files.ts";

/** The file's name is that of the artifact, where it is uploaded as it is. */
const usualName = "qvs-preview.html";
const namesPage = /^[\w-][\w.-]*\.html$/;

/** Called as the artifact is to be called, where that is the name of a page. */
export function writePage(page: Page, artifact: string | undefined, files: StepFiles) {
  const name = artifact !== undefined && namesPage.test(artifact) ? artifact : usualName;
  return writeTemporary(name, page, files);
}

/**
 * Writes a file to a folder of its own among the job's temporary files, which the runner deletes; returns its path. Where it can't be
 * written the step fails, and still tells all else: undefined.
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
