import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { FileEntry } from "../../init/repository-files.ts";
import { type UserError, userError } from "../../model/problems/errors.ts";

/** The directory of the config that qvs writes. */
const configFolder = ".valuestream";

/**
 * Returns the files and directories of `--from` as entries of a config. Returns undefined if one of
 * them isn't a path inside the repository: stdin, or an object in the cluster.
 */
export function keptEntries(
  root: string,
  directory: string,
  from: readonly string[],
): readonly FileEntry[] | undefined {
  const entries = from.map((each): FileEntry | undefined => {
    const inside = relative(root, resolve(directory, each)).split(sep).join("/");
    if (each === "-" || inside.startsWith("..")) return undefined;
    const form = isKustomization(directory, each) ? "kustomize" : "manifests";
    return { form, path: relative(configFolder, inside).split(sep).join("/") };
  });
  const kept = entries.filter((entry) => entry !== undefined);
  return kept.length < from.length ? undefined : kept;
}

/** Reports whether a path of `--from` is the directory of a kustomization. */
export function isKustomization(directory: string, from: string): boolean {
  const names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
  return names.some((name) => existsSync(join(resolve(directory, from), name)));
}

export function notKeepable(): UserError {
  return userError(
    "conflicting-flags",
    "--keep needs files or directories of the repository",
    "Name them with --from, and commit them",
  );
}
