import { constants } from "node:fs";
import { lstat, mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import * as v from "valibot";
import type { OutputFile } from "../../commands/compile.ts";
import { isDnsLabel } from "../../model/cluster/object-names.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import { fileErrorFix } from "../../model/problems/file-problems.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { stages } from "../../model/sources/compilation.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { pathOfError, unwritable } from "./replace-file.ts";

/**
 * Writes the files of a compilation, and deletes files of an earlier run that it no longer has.
 * Returns a report.
 * Applying the whole directory must not restore a removed manifest. qvs deletes only files that an
 * earlier run wrote. It never writes or deletes through a link, because the directory can be part
 * of an untrusted repository.
 */
export async function replaceFiles(
  directory: string,
  output: string,
  files: ReadonlyMap<string, OutputFile>,
): Promise<string> {
  const folder = resolve(directory, output);
  await rejectLinks(directory, folder, [markerFile]);
  const previous = await previousFiles(folder, output);
  await rejectLinks(directory, folder, [...files.keys(), ...previous]);
  await rejectForeignFiles(folder, output, files, previous);
  const stale = previous.filter((path) => !files.has(path));
  await orUserError(output, async () => {
    // The marker lists both sets until the end, so that after an interruption the next run can
    // delete all files.
    await writeNew(folder, markerFile, publicFile(renderMarker([...previous, ...files.keys()])));
    for (const path of stale) await rm(join(folder, path), { force: true });
    for (const [path, file] of files) await writeNew(folder, path, file);
    await writeNew(folder, markerFile, publicFile(renderMarker([...files.keys()])));
  });
  const removed = stale.length === 0 ? "" : `, removed ${stale.join(", ")} from an earlier run`;
  return `Wrote ${files.size} files to ${output}${removed}`;
}

/**
 * Throws a UserError for files that no earlier run wrote. They belong to the user, and overwriting
 * would lose them.
 */
async function rejectForeignFiles(
  folder: string,
  output: string,
  files: ReadonlyMap<string, OutputFile>,
  previous: readonly string[],
): Promise<void> {
  const paths = [...files.keys()].filter((path) => !previous.includes(path));
  const foreign: string[] = [];
  for (const path of paths) {
    const present = await readIfExists(join(folder, path));
    if (present !== undefined && present !== files.get(path)?.text) foreign.push(path);
  }
  if (foreign.length === 0) return;
  throw new UserError([
    {
      code: "output-not-writable",
      where: [],
      what: `"${output}" contains files that qvs didn't write`,
      facts: [{ label: "files", value: summarizeList(foreign, 5) }],
      fix: "Move these files to another directory",
      otherwise: ["choose another directory with --output"],
    },
  ]);
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch {
    // The later write reports whether the file is writable.
    return undefined;
  }
}

function publicFile(text: string): OutputFile {
  return { text, isPrivate: false };
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/**
 * Writes a file. Only the user can read a file with Secrets, even if an earlier run created it with
 * wider permissions.
 */
async function writeNew(
  folder: string,
  path: string,
  { text, isPrivate }: OutputFile,
): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  const mode = isPrivate ? 0o600 : 0o666;
  const opened = await open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode);
  try {
    if (isPrivate) await opened.chmod(mode);
    await opened.writeFile(text);
  } finally {
    await opened.close();
  }
}

async function orUserError(output: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    throw unwritable(
      error,
      pathOfError(error) ?? output,
      "Choose a writable directory with --output",
    );
  }
}

/**
 * The file that lists the files of the last run, which are the only ones that qvs deletes.
 * Its name doesn't end in .json, because kubectl reads every *.json in a directory.
 */
const markerFile = ".qvs-output";

const schema = v.object({ files: v.array(v.string()) });

function renderMarker(files: readonly string[]): string {
  return `${JSON.stringify({ files: [...new Set(files)].sort() }, null, 2)}\n`;
}

/**
 * Returns the files that the last run wrote to `folder`; none without a marker. `output` is the
 * directory's name in messages.
 */
async function previousFiles(folder: string, output: string): Promise<readonly string[]> {
  const text = await readMarker(join(folder, markerFile));
  if (text === undefined) return [];
  const files = parse(text);
  if (files !== undefined) return files;
  throw userError(
    "output-not-writable",
    `"${join(output, markerFile)}" isn't a list of files from an earlier run`,
    "Remove this file, and the manifests of earlier runs",
  );
}

async function readMarker(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UserError([
      {
        code: "output-not-writable",
        where: [],
        what: `"${file}" can't be read`,
        facts: [{ label: "error", value: code ?? "unknown" }],
        fix: fileErrorFix(code, "Make the file readable"),
        otherwise: ["choose another directory with --output"],
      },
    ]);
  }
}

function parse(text: string): readonly string[] | undefined {
  try {
    const { files } = v.parse(schema, JSON.parse(text));
    return files.every(isWritablePath) ? files : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reports whether a compilation can write this path. Any user can write a marker, so its paths are
 * checked.
 */
function isWritablePath(path: string): boolean {
  const [first = "", ...others] = path.split("/");
  return isDeploymentFile(path) || (isDnsLabel(first) && isDeploymentFile(others.join("/")));
}

/**
 * Reports whether the path is a file of one deployment. With --all, each deployment has a
 * directory.
 */
function isDeploymentFile(path: string): boolean {
  if (path === "layout.yaml" || path === "Pulumi.yaml") return true;
  const [first, ...others] = path.split("/");
  return (
    stages.some((stage) => stage === first) &&
    path.endsWith(".yaml") &&
    others.every((name) => name !== "" && !name.startsWith(".") && !/[\\\0]/.test(name))
  );
}

/**
 * Throws a UserError if a part of one of `paths` in `folder` is a symbolic link or has the wrong
 * type.
 * If the folder is inside `directory`, the parts of its own path count too. All of them can come
 * from an untrusted repository.
 */
export async function rejectLinks(
  directory: string,
  folder: string,
  paths: readonly string[],
): Promise<void> {
  const inside = relative(directory, folder);
  const isInside = inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`);
  const above = isInside ? pathPrefixes(inside).map((step) => join(directory, step)) : [];
  const folders = new Set([
    ...above,
    ...paths.flatMap((path) => pathPrefixes(dirname(path)).map((step) => join(folder, step))),
  ]);
  const files = new Set(paths.map((path) => join(folder, path)));
  const problems = [
    ...(await Promise.all([...folders].map((path) => pathProblem(path, "directory")))),
    ...(await Promise.all([...files].map((path) => pathProblem(path, "file")))),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new UserError(problems);
}

/** Returns all prefixes of a path: `a/b/c` → `a`, `a/b`, `a/b/c`. */
function pathPrefixes(path: string): readonly string[] {
  if (path === ".") return [];
  const names = path.split(sep);
  return names.map((_, index) => names.slice(0, index + 1).join(sep));
}

const otherFolder = "choose another directory with --output";

async function pathProblem(
  path: string,
  expected: "directory" | "file",
): Promise<Problem | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) {
    return {
      code: "output-not-writable",
      where: [],
      what: `"${path}" is a symbolic link`,
      why: "qvs doesn't write through links",
      fix: "Remove the link",
      otherwise: [otherFolder],
    };
  }
  if (expected === "directory" ? found.isDirectory() : found.isFile()) return undefined;
  return {
    code: "output-not-writable",
    where: [],
    what: `"${path}" isn't a ${expected}`,
    fix: "Remove it",
    otherwise: [otherFolder],
  };
}
