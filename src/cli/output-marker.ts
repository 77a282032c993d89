import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { isDnsLabel } from "../config/dns-label.ts";
import { userError } from "../errors.ts";
import { stages } from "../model/compilation.ts";

/** Lists what the last run wrote to a folder: only that may be removed from it. kubectl reads every *.json of a folder, so it is none. */
export const markerFile = ".qvs-output";

const schema = v.object({ files: v.array(v.string()) });

export function renderMarker(files: readonly string[]): string {
  return `${JSON.stringify({ files: [...new Set(files)].sort() }, null, 2)}\n`;
}

/** What the last run wrote to `folder`; nothing when it was not there. `output` is the folder's name for messages. */
export async function filesOfEarlierRun(
  folder: string,
  output: string,
): Promise<readonly string[]> {
  const text = await readMarker(join(folder, markerFile));
  if (text === undefined) return [];
  const files = parse(text);
  if (files !== undefined) return files;
  throw userError(
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
