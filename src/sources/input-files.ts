import { minimatch } from "minimatch";
import type { ParsedFiles, ParsedInput, ReadInput } from "../config/inputs/parsed-input.ts";
import { readObjects } from "../config/inputs/read-objects.ts";
import type { ParsedConfig } from "../config/parse-config.ts";
import type { DeletionHook } from "../model/plan/deletion.ts";
import { UserError } from "../model/problems/errors.ts";
import { notFileProblem } from "../model/problems/file-problems.ts";
import {
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../model/problems/problem.ts";
import type { IrreproducibleField } from "../model/sources/compilation.ts";
import type { LockedSource } from "../model/sources/locked-source.ts";
import { closest, suggest } from "../model/text/suggest.ts";
import type { OmittedPath, SourceTree } from "../ports/git.ts";
import type { ConfigSource } from "../ports/world.ts";
import { definedBy } from "./charts/capabilities.ts";
import { type ChartBinding, renderChart } from "./charts/render-chart.ts";
import type { RepeatableChart } from "./charts/value-origins.ts";
import { renderKustomization } from "./kustomize/render-kustomization.ts";
import { endOf, globOptions, omittedProblems, overlaps, reaches } from "./omitted-problems.ts";

type Entries = Pick<ParsedConfig, "fileEntries">;

export interface ReadInputs {
  readonly inputs: readonly ReadInput[];
  /** The warnings of the renderer. */
  readonly notices: readonly Problem[];
  readonly irreproducible: readonly IrreproducibleField[];
  /** The hooks that a deletion runs, in their order. */
  readonly deletionHooks: readonly DeletionHook[];
  /** The charts and remote bases of the lockfile. */
  readonly locked: readonly LockedSource[];
  /** The charts, for renderings with other values. */
  readonly charts: readonly RepeatableChart[];
}

/** The optional parts of reading. */
export interface InputParts {
  /**
   * True if the parts of objects of kustomizations have the places that wrote them. Only outputs
   * need them.
   */
  readonly origins: boolean;
}

/** The files of a tree, and those that it leaves out. */
interface Listing {
  readonly all: readonly string[];
  readonly omitted: readonly OmittedPath[];
}

/** The endings of files with manifests. */
const endings = [".yaml", ".yml", ".json"];

/** The maximum number of files of one entry. Each file is an object or more. */
const maxFiles = 5_000;

/**
 * Finds the files of each entry of a config that names files: the file itself, all manifests below
 * a directory, or the files that match a glob. Files and directories whose names begin with a dot
 * count only if the entry names them.
 */
export async function findInputFiles(
  tree: SourceTree,
  { fileEntries }: Entries,
): Promise<Result<readonly (readonly string[])[]>> {
  // Only the renderer knows the files of a kustomization or a chart.
  const isNeeded = fileEntries.some(({ form }) => form === "manifests");
  const listing = isNeeded
    ? { all: await tree.list([""]), omitted: await tree.omitted() }
    : { all: [], omitted: [] };
  const found = await Promise.all(
    fileEntries.map(async (entry) =>
      entry.form === "manifests" ? findFiles(tree, listing, entry) : ok<readonly string[]>([]),
    ),
  );
  const problems = found.flatMap(resultProblems);
  return problems.length > 0
    ? failed(problems)
    : ok(found.flatMap((each) => (each.ok ? [each.value] : [])));
}

/**
 * Reads the objects of all entries. `files` contains the files of each, in the same order.
 * `binding` contains the values for charts.
 */
export async function readInputFiles(
  source: ConfigSource,
  { fileEntries }: Entries,
  files: readonly (readonly string[])[],
  binding: ChartBinding,
  { origins }: InputParts = { origins: false },
): Promise<Result<ReadInputs>> {
  const problems: Problem[] = [];
  const notices: Problem[] = [];
  const irreproducible: IrreproducibleField[] = [];
  const deletionHooks: DeletionHook[] = [];
  const locked: LockedSource[] = [];
  const repeatable: RepeatableChart[] = [];
  const { tree } = source;
  const readEntry = async (entry: ParsedInput, index: number): Promise<readonly ReadInput[]> => {
    if (entry.form === "helm") {
      const rendered = await renderChart(source, entry, index, binding);
      problems.push(...resultProblems(rendered));
      if (!rendered.ok) return [];
      notices.push(...rendered.value.notices);
      irreproducible.push(...rendered.value.irreproducible);
      deletionHooks.push(...rendered.value.deletionHooks);
      locked.push(...rendered.value.locked);
      repeatable.push(...rendered.value.charts);
      return rendered.value.inputs;
    }
    if (entry.form === "kustomize") {
      const rendered = await renderKustomization(source, entry, binding.config.file, origins);
      problems.push(...resultProblems(rendered));
      if (!rendered.ok) return [];
      notices.push(...rendered.value.notices);
      locked.push(...rendered.value.locked);
      const { files, objects, bases } = rendered.value;
      return [{ ...entry, files, objects, ...(bases === undefined ? {} : { bases }) }];
    }
    const paths = files[index] ?? [];
    const each = await Promise.all(paths.map((path) => readFile(tree, entry, path)));
    problems.push(...each.flatMap(resultProblems));
    return [{ ...entry, files: paths, objects: each.flatMap((e) => (e.ok ? e.value : [])) }];
  };
  const { defined } = binding.capabilities;
  const results = new Map<number, readonly ReadInput[]>();
  // Charts come last, because they can ask for the kinds that other entries define.
  const [charts, others] = [true, false].map((isChart) =>
    [...fileEntries.entries()].filter(([, { form }]) => (form === "helm") === isChart),
  );
  // A chart can have 100 MiB, so only one is in memory at a time.
  for (const [index, entry] of [...(others ?? []), ...(charts ?? [])]) {
    const [before, hooksBefore] = [problems.length, deletionHooks.length];
    const inputs = await readEntry(entry, index);
    results.set(index, inputs);
    const isEmpty = inputs.every(({ objects }) => objects.length === 0);
    if (isEmpty && problems.length === before && deletionHooks.length === hooksBefore)
      notices.push(emptyProblem(entry));
    for (const { objects } of inputs) defined.push(...definedBy(objects));
  }
  const inputs = fileEntries.flatMap((_, index) => results.get(index) ?? []);
  const read = { inputs, notices, irreproducible, deletionHooks, locked, charts: repeatable };
  return problems.length > 0 ? failed(problems) : ok(read);
}

async function readFile(
  tree: SourceTree,
  entry: ParsedFiles,
  path: string,
): Promise<ReturnType<typeof readObjects>> {
  const text = await guarded(entry, () => tree.read(path));
  if (!text.ok) return text;
  return text.value === undefined
    ? failed([{ ...notFileProblem(path), where: [entry.where] }])
    : readObjects(path, text.value);
}

async function findFiles(
  tree: SourceTree,
  { all, omitted }: Listing,
  entry: ParsedFiles,
): Promise<Result<readonly string[]>> {
  const { path } = entry;
  // A link that leads outside the repository is an error here.
  const text = await guarded(entry, () => tree.read(path === "" ? "." : path));
  if (!text.ok) return text;
  if (text.value !== undefined) return ok([path]);
  const leftOut = await findOmitted(tree, { all, omitted }, entry);
  if (leftOut.length > 0) return failed(leftOut);
  const matching = all.filter((file) => minimatch(file, path, globOptions));
  const found = matching.some(isManifestFile) ? matching : await filesBelow(tree, all, path);
  const manifests = found.filter(isManifestFile);
  if (manifests.length === 0) return failed([noFilesProblem(entry, all)]);
  if (manifests.length > maxFiles) return failed([tooManyFilesProblem(entry)]);
  return ok(manifests);
}

/** Reports the paths that an entry needs and the tree leaves out. */
async function findOmitted(
  tree: SourceTree,
  { all, omitted }: Listing,
  { path, where }: ParsedFiles,
): Promise<readonly Problem[]> {
  const folder = await endOf(tree, path);
  const isHidden = (other: string) =>
    other
      .slice(folder.length)
      .split("/")
      .some((name) => name.startsWith("."));
  const isDirectory = folder === "" || all.some((file) => file.startsWith(`${folder}/`));
  const needs = (other: string) =>
    isDirectory ? overlaps(folder, other) && !isHidden(other) : reaches(path, other);
  const fixLink = (directory: string) => `Write an entry of its own for "${directory}"`;
  return omittedProblems(omitted, needs, where, fixLink);
}

/**
 * Returns the files below a directory. If the directory is a link, their paths contain it, so that
 * a change of the link counts.
 */
async function filesBelow(
  tree: SourceTree,
  all: readonly string[],
  path: string,
): Promise<readonly string[]> {
  const folder = await endOf(tree, path);
  const [prefix, named] = [folder, path].map((each) => (each === "" ? "" : `${each}/`));
  return all.flatMap((file) => {
    if (!file.startsWith(prefix ?? "")) return [];
    const below = file.slice(prefix?.length);
    return below.split("/").some((name) => name.startsWith(".")) ? [] : [`${named}${below}`];
  });
}

function isManifestFile(file: string): boolean {
  return endings.some((ending) => file.endsWith(ending));
}

function noFilesProblem(entry: ParsedFiles, all: readonly string[]): Problem {
  const folders = all.flatMap((file) => {
    const names = file.split("/");
    return names.map((_, count) => names.slice(0, count + 1).join("/"));
  });
  const meant = closest(entry.path, new Set(folders));
  return {
    code: "config-not-found",
    where: [entry.where],
    what: `"${entry.written}" names no manifests`,
    facts: [{ label: "searched", value: `${entry.path || "."} (${endings.join(", ")})` }],
    ...suggest(
      meant,
      "Correct the path, which is relative to the directory of this file",
      "commit the files: the Action reads only committed files",
    ),
  };
}

const emptyTexts: Readonly<Record<ParsedInput["form"], string>> = {
  manifests: "contains no objects",
  helm: "renders no objects",
  kustomize: "renders no objects",
};

/** Warns about an entry that has lost its objects, before a deployment deletes them. */
function emptyProblem({ form, written, where }: ParsedInput): Problem {
  return {
    code: "empty-input",
    where: [where],
    what: `"${written}" ${emptyTexts[form]}`,
    why: "A deployment deletes the objects that it had before",
    fix: "Restore the objects",
    otherwise: ["remove the entry"],
  };
}

function tooManyFilesProblem({ where, written }: ParsedFiles): Problem {
  return {
    code: "input-too-large",
    where: [where],
    what: `"${written}" names more than ${maxFiles} files`,
    fix: "Name a directory with fewer files",
  };
}

/** Adds the place of the entry to an error about its file. */
async function guarded<T>(entry: ParsedFiles, read: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await read());
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return failed(error.problems.map((each) => ({ ...each, where: [entry.where] })));
  }
}
