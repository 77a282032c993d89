import type { ParsedConfig } from "../../../config/parse-config.ts";
import type { Deployment } from "../../../model/deployments/deployment.ts";
import { catchProblems } from "../../../model/problems/errors.ts";
import { chartName, type RemoteChart } from "../../../model/sources/remote-chart.ts";
import type { FileSource } from "../../../ports/cue.ts";
import type { SourceTree } from "../../../ports/git.ts";
import type { OpenModule } from "../../open-modules.ts";

/** The charts that the adapters of a deployment can use, whatever the command line sets. */
export interface ReachableCharts {
  /** Reports whether a deployment can use this chart. */
  includes(chart: RemoteChart): boolean;
}

/** The maximum size of the texts of one deployment, in characters. */
const maxCharacters = 64 * 1024 * 1024;

interface ReadTexts {
  readonly tree: SourceTree;
  readonly deployment: Deployment;
  readonly parsed: Pick<ParsedConfig, "file" | "params">;
  readonly modules: readonly OpenModule[];
  /** The parameters that only the command line sets. */
  readonly unset: ReadonlySet<string>;
}

/** The texts that decide about charts. */
interface ChartTexts {
  readonly cue: readonly string[];
  /** The config, the parameter files, and the other files of modules. */
  readonly others: readonly string[];
}

/**
 * Finds the charts that a deployment can use. If each name, version and address of a chart is a
 * whole string in an adapter, a deployment can use only charts whose name, version and host are in
 * its files. Otherwise, and if a file can't be read, it can use every chart.
 */
export async function findReachableCharts(read: ReadTexts): Promise<ReachableCharts> {
  const { parsed, unset } = read;
  const setsObjects = parsed.params.some(
    ({ name, type }) => unset.has(name) && (type === "object" || type === "array"),
  );
  const texts = setsObjects ? undefined : await readTexts(read);
  const isComputed =
    texts === undefined || texts.cue.some(computesCharts) || texts.others.some(takesParameters);
  if (isComputed) return { includes: () => true };
  const all = [...texts.cue, ...texts.others];
  const isWritten = (part: string) => all.some((text) => text.includes(part));
  return {
    includes: (chart) => [chartName(chart), chart.version, hostOf(chart)].every(isWritten),
  };
}

function hostOf({ chart, repository }: RemoteChart): string {
  const address = repository ?? chart;
  return URL.parse(address.replace(/^oci:/, "https:"))?.host ?? address;
}

/** Reads the config, the parameters and the modules. Undefined if one of them is unknown. */
async function readTexts({
  tree,
  deployment,
  parsed,
  modules,
}: ReadTexts): Promise<ChartTexts | undefined> {
  const own = await readFiles(tree, [parsed.file, ...deployment.params]);
  if (own === undefined) return undefined;
  const ofEnvironment = JSON.stringify(deployment.environmentOf?.params ?? {});
  const cue: string[] = [];
  const others = [...own, ofEnvironment];
  let size = 0;
  for (const module of modules) {
    const read = await readModule(tree, module);
    if (read === undefined) return undefined;
    cue.push(...read.cue);
    others.push(...read.others);
    size += [...read.cue, ...read.others].reduce((sum, { length }) => sum + length, 0);
    if (size > maxCharacters) return undefined;
  }
  return { cue, others };
}

async function readModule(
  tree: SourceTree,
  { reference: { source }, root: { files } }: OpenModule,
): Promise<ChartTexts | undefined> {
  if (files.in === "memory") return textsInMemory(files);
  // A module of Git on disk is in the cache, and only the compiler reads it.
  if (source.from === "git") return undefined;
  const inside = await filesOfModule(tree, source.path);
  if (inside === undefined) return undefined;
  const [cue, others] = [
    await readFiles(tree, inside.filter(isCue)),
    await readFiles(
      tree,
      inside.filter((file) => !isCue(file)),
    ),
  ];
  return cue && others && { cue, others };
}

function isCue(file: string): boolean {
  return file.endsWith(".cue");
}

function textsInMemory({
  files,
  embedded = new Map(),
}: Extract<FileSource, { in: "memory" }>): ChartTexts | undefined {
  const all = [...embedded.values()];
  const read = all.filter((each) => typeof each !== "string");
  if (read.length < all.length) return undefined;
  const decoder = new TextDecoder();
  return { cue: [...files.values()], others: read.map((bytes) => decoder.decode(bytes)) };
}

/**
 * Lists the files of a module of this repository. Returns undefined if a link leads elsewhere: the
 * compiler can follow a link to a directory, whose files the tree doesn't list.
 */
export async function filesOfModule(
  tree: SourceTree,
  path: string,
): Promise<readonly string[] | undefined> {
  const folder = (await tree.linkedPaths(path)).at(-1) ?? path;
  const prefix = folder === "" ? "" : `${folder}/`;
  const inside = (await tree.list([""])).filter((file) => file.startsWith(prefix));
  for (const file of inside) {
    if (!isCue(file) && (await tree.linkedPaths(file)).length > 1) return undefined;
  }
  return inside.some(isCue) ? inside : undefined;
}

async function readFiles(
  tree: SourceTree,
  files: readonly string[],
): Promise<readonly string[] | undefined> {
  const texts: string[] = [];
  for (const file of files) {
    const text = await catchProblems(() => tree.read(file));
    if (!text.ok || text.value === undefined) return undefined;
    texts.push(text.value);
  }
  return texts;
}

/** The fields of a chart that decide about its entry in the lockfile. */
const coordinates = /(?<![\w./-])"?(?:chart|version|repo)"?[?!]?\s*:\s*/g;

/** The fields that contain an address. */
const options = /(?<![\w./-])"?(?:fetchOpts|repositoryOpts)"?[?!]?\s*:\s*/g;

/** A string without an escape, an interpolation or a reference, and the end of the field. */
const wholeString = /^"[^"\\$\n]*"\s*(?:[,}\n]|\/\/|$)/;

const structure = /^(?:\{|"?\w+"?\s*:)/;

/** Reports whether an adapter computes a name, a version or an address. */
function computesCharts(text: string): boolean {
  const valuesAfter = (fields: RegExp) =>
    text.matchAll(fields).map(({ index, 0: field }) => text.slice(index + field.length));
  return (
    valuesAfter(coordinates).some((value) => !wholeString.test(value)) ||
    valuesAfter(options).some((value) => !structure.test(value))
  );
}

/** Reports whether a file sets a name, a version or an address from a parameter. */
function takesParameters(text: string): boolean {
  return text
    .matchAll(coordinates)
    .some(({ index }) => /^[^\n]*\$\(/.test(text.slice(index, index + maxLine)));
}

/** Longer lines aren't searched further for a reference to a parameter. */
const maxLine = 10_000;
