import { constants } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { userError } from "../errors.ts";
import { filesOfEarlierRun, markerFile, renderMarker } from "./output-marker.ts";
import { refuseLinks } from "./refuse-links.ts";

/**
 * Writes the files of a compilation, and removes those of an earlier one that this one no longer has: whoever applies
 * the whole folder must not bring a dropped manifest back. Answers with what was done. Nothing that an earlier run did
 * not write is removed, and nothing is written or removed through a link: the folder may have come with a repository.
 */
export async function replaceFiles(
  directory: string,
  output: string,
  files: ReadonlyMap<string, string>,
): Promise<string> {
  const folder = resolve(directory, output);
  await refuseLinks(directory, folder, [markerFile]);
  const earlier = await filesOfEarlierRun(folder, output);
  await refuseLinks(directory, folder, [...files.keys(), ...earlier]);
  const stale = earlier.filter((path) => !files.has(path));
  await orUserError(output, async () => {
    // Until all is done, the marker lists both: a run that is interrupted leaves nothing that the next one cannot remove.
    await writeNew(folder, markerFile, renderMarker([...earlier, ...files.keys()]));
    for (const path of stale) await rm(join(folder, path), { force: true });
    for (const [path, content] of files) await writeNew(folder, path, content);
    await writeNew(folder, markerFile, renderMarker([...files.keys()]));
  });
  const removed = stale.length === 0 ? "" : `, removed ${stale.join(", ")} of an earlier run`;
  return `Wrote ${files.size} files to ${output}${removed}`;
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;

async function writeNew(folder: string, path: string, content: string): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  const opened = await open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  try {
    await opened.writeFile(content);
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
      `${path ?? output} cannot be written (${code})`,
      "Give --output a folder that you may write to",
    );
  }
}
