import type { ValuesText } from "../../config/inputs/bind-chart.ts";
import type { ParsedChart } from "../../config/inputs/parsed-input.ts";
import { UserError } from "../../model/problems/errors.ts";
import { notFileProblem } from "../../model/problems/file-problems.ts";
import {
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../../model/problems/problem.ts";
import type { LockedSource } from "../../model/sources/locked-source.ts";
import { packedChartName } from "../../model/sources/remote-chart.ts";
import { closest, suggest } from "../../model/text/suggest.ts";
import type { FileSource } from "../../ports/cue.ts";
import type { SourceTree } from "../../ports/git.ts";
import type { ConfigSource } from "../../ports/world.ts";
import { endOf, omittedProblems, overlaps } from "../omitted-problems.ts";
import { type MissingDependency, missingDependencies } from "./chart-dependencies.ts";
import { openChart } from "./open-chart.ts";

/** The files of a chart, from the root of the repository. */
export interface ChartFiles {
  readonly source: FileSource;
  readonly paths: readonly string[];
  /** The members of `paths` that aren't in the repository. */
  readonly fetched: readonly string[];
  /** The chart and its dependencies, as far as they are locked. */
  readonly locked: readonly LockedSource[];
  readonly notices: readonly Problem[];
}

/** The maximum size of all files of a chart, as in Helm. */
const maxBytes = 100 * 1024 * 1024;

/**
 * Reads the files of a chart: all files of a directory with the locked dependencies that it lacks,
 * the packed chart, or the locked chart of a registry.
 */
export async function readChartFiles(
  source: ConfigSource,
  chart: ParsedChart,
  config: string,
): Promise<Result<ChartFiles>> {
  if (chart.remote !== undefined) {
    return inMemory(
      new Map(),
      [{ path: chart.path, chart: chart.remote, notices: [] }],
      source,
      config,
    );
  }
  const local = await readLocalFiles(source.tree, chart);
  if (!local.ok) return local;
  const missing = await guarded(chart, () => missingDependencies(source.tree, chart));
  if (!missing.ok) return missing;
  const folder = chart.path === "" ? "charts" : `${chart.path}/charts`;
  const added = missing.value.map((each) => ({
    ...each,
    path: `${folder}/${packedChartName(each.chart)}`,
  }));
  return inMemory(local.value, added, source, config);
}

/** Adds charts of registries to the files of a chart. */
async function inMemory(
  local: ReadonlyMap<string, Uint8Array>,
  added: readonly (MissingDependency & { readonly path: string })[],
  source: ConfigSource,
  config: string,
): Promise<Result<ChartFiles>> {
  const embedded = new Map(local);
  const locked: LockedSource[] = [];
  const problems: Problem[] = [];
  const notices: Problem[] = [];
  let size = sizeOf(local);
  // A chart can have 100 MiB, so only one is fetched at a time.
  for (const { path, chart, notices: own } of added) {
    // Two aliases can name the same dependency.
    if (embedded.has(path)) continue;
    notices.push(...own);
    const opened = await openChart(source, chart, config);
    problems.push(...resultProblems(opened));
    if (!opened.ok) continue;
    size += opened.value.content.length;
    if (size > maxBytes) return failed([tooLargeProblem({ written: path, where: chart.where })]);
    embedded.set(path, opened.value.content);
    locked.push(opened.value.locked);
    notices.push(...opened.value.notices);
  }
  if (problems.length > 0) return failed(problems);
  const paths = [...embedded.keys()];
  const fetched = added.map(({ path }) => path);
  return ok({
    source: { in: "memory", files: new Map(), embedded },
    ...{ paths, fetched, locked, notices },
  });
}

function sizeOf(files: ReadonlyMap<string, Uint8Array>): number {
  return [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
}

async function readLocalFiles(
  tree: SourceTree,
  chart: ParsedChart,
): Promise<Result<ReadonlyMap<string, Uint8Array>>> {
  return guarded(chart, async () => {
    const all = await tree.list([""]);
    const end = await endOf(tree, chart.path);
    const isPacked = all.includes(end);
    const needs = (path: string) => !isPacked && overlaps(end, path);
    const fixLink = () => "Copy the directory into the chart";
    const leftOut = omittedProblems(await tree.omitted(), needs, chart.where, fixLink);
    if (leftOut.length > 0) return failed(leftOut);
    const paths = isPacked ? [chart.path] : filesBelow(all, chart.path, end);
    if (paths.length === 0) return failed([noChartProblem(chart, all)]);
    const read = new Map<string, Uint8Array>();
    let size = 0;
    for (const path of paths) {
      const bytes = await tree.readBytes(path);
      if (bytes === undefined) return failed([{ ...notFileProblem(path), where: [chart.where] }]);
      size += bytes.length;
      if (size > maxBytes) return failed([tooLargeProblem(chart)]);
      read.set(path, bytes);
    }
    return ok(read);
  });
}

/** Reads the values files of a chart in their order. */
export async function readValuesFiles(
  tree: SourceTree,
  { values }: ParsedChart,
): Promise<Result<readonly ValuesText[]>> {
  const problems: Problem[] = [];
  const read = await Promise.all(
    values.map(async ({ path, where, written }): Promise<ValuesText> => {
      const text = await guarded({ where }, async () => ok(await tree.read(path)));
      if (!text.ok) problems.push(...text.problems);
      else if (text.value === undefined)
        problems.push(noValuesProblem(written, where, path, await tree.list([".yaml", ".yml"])));
      return { name: path, text: text.ok ? (text.value ?? "") : "" };
    }),
  );
  return problems.length > 0 ? failed(problems) : ok(read);
}

/** Returns the files of a directory. If it is a link, their paths contain the link. */
function filesBelow(all: readonly string[], path: string, end: string): readonly string[] {
  const [prefix, named] = [end, path].map((each) => (each === "" ? "" : `${each}/`));
  return all
    .filter((file) => file.startsWith(prefix ?? ""))
    .map((file) => `${named}${file.slice(prefix?.length)}`);
}

function noChartProblem({ path, written, where }: ParsedChart, all: readonly string[]): Problem {
  const charts = all.flatMap((file) =>
    file.endsWith("/Chart.yaml")
      ? [file.slice(0, -"/Chart.yaml".length)]
      : file.endsWith(".tgz")
        ? [file]
        : [],
  );
  return {
    code: "config-not-found",
    where: [where],
    what: `Chart "${written}" doesn't exist`,
    ...suggest(
      closest(path, charts),
      "Correct the path, which is relative to the directory of this file",
      "commit the files: the Action reads only committed files",
    ),
  };
}

function noValuesProblem(
  written: string,
  where: ParsedChart["where"],
  path: string,
  all: readonly string[],
): Problem {
  return {
    code: "config-not-found",
    where: [where],
    what: `Values file "${written}" doesn't exist`,
    ...suggest(
      closest(path, all),
      "Correct the path, which is relative to the directory of this file",
      "commit the file: the Action reads only committed files",
    ),
  };
}

function tooLargeProblem({ written, where }: Pick<ParsedChart, "written" | "where">): Problem {
  return {
    code: "input-too-large",
    where: [where],
    what: `Chart "${written}" is too large`,
    facts: [{ label: "limit", value: `${maxBytes >> 20} MiB` }],
    fix: "Remove files that the chart doesn't need",
  };
}

/** Adds the place in the config to an error about a file. */
async function guarded<T>(
  { where }: Pick<ParsedChart, "where">,
  read: () => Promise<Result<T>>,
): Promise<Result<T>> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return failed(error.problems.map((each) => ({ ...each, where: [where] })));
  }
}
