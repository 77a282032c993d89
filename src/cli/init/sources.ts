import { existsSync, lstatSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import type { LiveRequest, ManifestFile } from "../../commands/init.ts";
import type { FileEntry } from "../../init/repository-files.ts";
import { findKind, kindWords } from "../../inputs/kind-selector.ts";
import { UserError, userError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { closest } from "../../model/text/suggest.ts";
import { readManifestFiles, readStdinManifests } from "../files/read-manifest-files.ts";
import type { Shell } from "../program/shell.ts";

/** The sources that `--from` names: files, and objects in the cluster. */
export interface InitSources {
  readonly files: readonly ManifestFile[];
  readonly objects: readonly Omit<LiveRequest, "namespace">[];
}

/**
 * Reads the sources: `-` is stdin, an existing path is read, and anything else must be KIND/NAME.
 * Throws a UserError that lists all invalid ones.
 */
export async function readInitSources(
  { cwd, stdin }: Pick<Shell, "cwd" | "stdin">,
  from: readonly string[],
): Promise<InitSources> {
  const directory = cwd();
  const problems: Problem[] = [];
  const files: ManifestFile[] = [];
  const objects: InitSources["objects"][number][] = [];
  for (const each of from) {
    if (each === "-") {
      const read = await readStdinManifests(stdin);
      if (read.ok) files.push(...read.value);
      else problems.push(...read.problems);
      continue;
    }
    const object = parseObjectName(each);
    if (lstatSync(resolve(directory, each), { throwIfNoEntry: false }) !== undefined) {
      const read = readManifestFiles(directory, each);
      if (read.ok) files.push(...read.value);
      else problems.push(...read.problems);
    } else if (object !== undefined) objects.push(object);
    else problems.push(unknownSource(each));
  }
  if (problems.length > 0) throw new UserError(problems);
  return { files, objects };
}

/** Parses `deployment/web` and `deploy/web`, or `Rollout.argoproj.io/web` for other API groups. */
function parseObjectName(text: string): InitSources["objects"][number] | undefined {
  const [, word = "", dot, group = "", name = ""] =
    /^([A-Za-z]+)(\.([a-z0-9.-]+))?\/([^/\s]+)$/.exec(text) ?? [];
  if (name === "") return undefined;
  if (dot !== undefined) return { group, kind: word, name };
  const known = findKind(word);
  return known === undefined ? undefined : { group: known.group, kind: known.kind, name };
}

const nameSource = {
  fix: "Name a directory or a file",
  otherwise: [
    "name an object, as in deployment/web, with the group of other kinds, as in Rollout.argoproj.io/web",
  ],
};

function unknownSource(from: string): Problem {
  const [word = ""] = from.split("/");
  const meant = closest(word.toLowerCase(), kindWords);
  const fixes =
    meant !== undefined && from.includes("/") && !from.startsWith(".")
      ? { fix: `Did you mean "${meant}${from.slice(word.length)}"?` }
      : nameSource;
  const what = `"${from}" isn't an existing file or an object of a known kind`;
  return { code: "invalid-input", where: [], what, ...fixes };
}

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
