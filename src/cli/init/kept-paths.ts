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
    return {
      form: formOf(directory, each),
      path: relative(configFolder, inside).split(sep).join("/"),
    };
  });
  const kept = entries.filter((entry) => entry !== undefined);
  return kept.length < from.length ? undefined : kept;
}

/** Reports whether a path of `--from` is a kustomization or a chart, which qvs renders. */
export function isRendered(directory: string, from: string): boolean {
  return formOf(directory, from) !== "manifests";
}

/** Returns the form of a path: by the files in a directory, or the ending of a packed chart. */
function formOf(directory: string, from: string): FileEntry["form"] {
  const path = resolve(directory, from);
  const has = (...names: readonly string[]) => names.some((name) => existsSync(join(path, name)));
  if (has("kustomization.yaml", "kustomization.yml", "Kustomization")) return "kustomize";
  return has("Chart.yaml") || (from.endsWith(".tgz") && existsSync(path)) ? "helm" : "manifests";
}

export function notKeepable(): UserError {
  return userError(
    "conflicting-flags",
    "--keep needs files or directories of the repository",
    "Name them with --from, and commit them",
  );
}
