import { constants } from "node:fs";
import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import * as v from "valibot";
import type { OutputFile } from "../../commands/compile.ts";
import { isDnsLabel } from "../../model/cluster/dns-label.ts";
import { stages } from "../../model/compilation.ts";
import { userError } from "../../model/problems/errors.ts";
import { listed } from "../../model/text/closest.ts";
import { refuseLinks } from "./refuse-links.ts";

/**
 * Writes the files of a compilation, and removes those of an earlier one that this one no longer has: applying the
 * whole folder must not restore a removed manifest. Returns what was done. Nothing that an earlier run did not write is
 * removed, and nothing is written or removed through a link: the folder may have come with a repository.
 */
export async function replaceFiles(
  directory: string,
  output: string,
  files: ReadonlyMap<string, OutputFile>,
): Promise<string> {
  const folder = resolve(directory, output);
  await refuseLinks(directory, folder, [markerFile]);
  const earlier = await filesOfEarlierRun(folder, output);
  await refuseLinks(directory, folder, [...files.keys(), ...earlier]);
  await refuseForeignFiles(folder, output, files, earlier);
  const stale = earlier.filter((path) => !files.has(path));
  await orUserError(output, async () => {
    // Until all is done, the marker lists both: a run that is interrupted leaves nothing that the next one cannot remove.
    await writeNew(folder, markerFile, openFile(renderMarker([...earlier, ...files.keys()])));
    for (const path of stale) await rm(join(folder, path), { force: true });
    for (const [path, file] of files) await writeNew(folder, path, file);
    await writeNew(folder, markerFile, openFile(renderMarker([...files.keys()])));
  });
  const removed = stale.length === 0 ? "" : `, removed ${stale.join(", ")} of an earlier run`;
  return `Wrote ${files.size} files to ${output}${removed}`;
}

/** A file that no earlier run wrote is somebody's own: written over, it would be lost. */
async function refuseForeignFiles(
  folder: string,
  output: string,
  files: ReadonlyMap<string, OutputFile>,
  earlier: readonly string[],
): Promise<void> {
  const paths = [...files.keys()].filter((path) => !earlier.includes(path));
  const foreign: string[] = [];
  for (const path of paths) {
    const present = await readIfThere(join(folder, path));
    if (present !== undefined && present !== files.get(path)?.text) foreign.push(path);
  }
  if (foreign.length === 0) return;
  throw userError(
    "output-not-writable",
    `${output} has files that no earlier run of qvs wrote: ${listed(foreign, 5)}`,
    "Move them away, or give --output another folder",
  );
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch {
    // Whether it can be written is for writing to tell.
    return undefined;
  }
}

function openFile(text: string): OutputFile {
  return { text, isPrivate: false };
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

/** Files with Secrets are readable by the user only, also if an earlier run has left the file readable by others. */
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
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw userError(
      "output-not-writable",
      `${path ?? output} cannot be written (${code})`,
      "Give --output a folder that you may write to",
    );
  }
}

/**
 * Lists what the last run wrote to a folder: only that may be removed from it. kubectl reads every *.json of a folder,
 * so it has no such name.
 */
const markerFile = ".qvs-output";

const schema = v.object({ files: v.array(v.string()) });

function renderMarker(files: readonly string[]): string {
  return `${JSON.stringify({ files: [...new Set(files)].sort() }, null, 2)}\n`;
}

/** What the last run wrote to `folder`; nothing when it was not there. `output` is the folder's name for messages. */
async function filesOfEarlierRun(folder: string, output: string): Promise<readonly string[]> {
  const text = await readMarker(join(folder, markerFile));
  if (text === undefined) return [];
  const files = parse(text);
  if (files !== undefined) return files;
  throw userError(
    "output-not-writable",
    `${join(output, markerFile)} is not the list of files that an earlier run left`,
    "Remove it, and with it the manifests of earlier runs",
  );
}

async function readMarker(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw userError(
      "output-not-writable",
      `${file} cannot be read (${code})`,
      "Make it readable, or choose another folder",
    );
  }
}

function parse(text: string): readonly string[] | undefined {
  try {
    const { files } = v.parse(schema, JSON.parse(text));
    return files.every(isOurs) ? files : undefined;
  } catch {
    return undefined;
  }
}

/** The marker may have been written by anybody, but a compilation writes only such paths. */
function isOurs(path: string): boolean {
  const [first = "", ...others] = path.split("/");
  return isOfOne(path) || (isDnsLabel(first) && isOfOne(others.join("/")));
}

/** With --all, each deployment has a folder of these. */
function isOfOne(path: string): boolean {
  if (path === "layout.yaml" || path === "Pulumi.yaml") return true;
  const [first, ...others] = path.split("/");
  return (
    stages.some((stage) => stage === first) &&
    path.endsWith(".yaml") &&
    others.every((name) => name !== "" && !name.startsWith(".") && !/[\\\0]/.test(name))
  );
}
