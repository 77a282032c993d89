import { lstatSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { userError } from "../../model/problems/errors.ts";
import type { Page } from "../../redaction/shown.ts";
import { listEntries } from "../files/directories.ts";
import { annotate } from "./annotations.ts";
import { notWritable, type StepFiles } from "./step-outputs.ts";

/** The name of the file in its artifact. */
const fileName = "plan.json";

export interface PlanText {
  /** The path of the file below the directory. */
  readonly file: string;
  readonly text: string;
}

export function writePlanFile(plan: object, files: StepFiles): string | undefined {
  return writeTemporary(fileName, `${JSON.stringify(files.sent.hide(plan))}\n`, files);
}

/** The maximum number of files. A run has up to 256 jobs of a matrix, and each leaves one file. */
const mostFiles = 1_000;
const mostBytes = 256 << 20;

/**
 * Returns every file below the directory whose name ends in `.json`, sorted by path. It doesn't
 * follow links.
 */
export function readPlanFiles(folder: string): readonly PlanText[] {
  const paths = listFiles(folder).filter((path) => path.endsWith(".json"));
  if (paths.length > mostFiles) throw refused(`has more than ${mostFiles} files`, folder);
  const bytes = paths.reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);
  if (bytes > mostBytes) throw refused(`has more than ${mostBytes >> 20} MiB`, folder);
  return paths.map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
}

function listFiles(folder: string): readonly string[] {
  try {
    if (lstatSync(folder).isSymbolicLink()) throw refused("is a symbolic link", folder);
    return listEntries(folder)
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, "/").length))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function refused(why: string, folder: string) {
  return userError(
    "plan-file-rejected",
    `The directory "${folder}" in the input plans ${why}`,
    "Download this run's artifacts with plans to a directory of their own",
  );
}

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
