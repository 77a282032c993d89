import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { stages } from "../model/compilation.ts";

/**
 * Writes the files of a compilation, and removes those of an earlier one that this one no longer has: whoever applies
 * the whole folder must not bring a dropped manifest back. Answers with what was done.
 */
export async function replaceFiles(
  directory: string,
  output: string,
  files: ReadonlyMap<string, string>,
): Promise<string> {
  const folder = resolve(directory, output);
  const stale = (await filesOfEarlierRun(folder)).filter((path) => !files.has(path));
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  for (const path of stale) await rm(join(folder, path));
  const removed = stale.length === 0 ? "" : `, removed ${stale.join(", ")} of an earlier run`;
  return `Wrote ${files.size} files to ${output}${removed}`;
}

/** Only a folder with our layout.yaml is ours, and in it only what we may have written: nothing else is ever removed. */
async function filesOfEarlierRun(folder: string): Promise<readonly string[]> {
  if (!existsSync(join(folder, "layout.yaml"))) return [];
  const lists = await Promise.all(stages.map((stage) => yamlFiles(folder, stage)));
  const pulumi = existsSync(join(folder, "Pulumi.yaml")) ? ["Pulumi.yaml"] : [];
  return [...lists.flat(), ...pulumi];
}

async function yamlFiles(folder: string, stage: string): Promise<readonly string[]> {
  if (!existsSync(join(folder, stage))) return [];
  const names = await readdir(join(folder, stage), { recursive: true });
  return names
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => `${stage}/${name}`)
    .sort();
}
