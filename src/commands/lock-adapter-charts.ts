import {
  type ChartLock,
  chartLockKey,
  type LockEntries,
  type Lockfile,
} from "../config/lockfile/lockfile.ts";
import { renderLockfile } from "../config/lockfile/parse-lockfile.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import { distinct, type Problem } from "../model/problems/problem.ts";
import { chartTitle, type PlacedChart } from "../model/sources/remote-chart.ts";
import { summarizeList } from "../model/text/suggest.ts";
import type { SourceTree } from "../ports/git.ts";
import type { ConfigSource } from "../ports/world.ts";
import {
  createChartFinder,
  type FoundCharts,
} from "../sources/charts/adapters/find-adapter-charts.ts";
import type { ReachableCharts } from "../sources/charts/adapters/reachable-charts.ts";

/** The charts that a lockfile must contain for adapters. */
interface AdapterChartLocks {
  /** The charts to resolve, each once. */
  readonly charts: readonly PlacedChart[];
  /** The entries of the existing lockfile that stay, because a deployment can need them. */
  readonly kept: readonly ChartLock[];
  readonly notices: readonly Problem[];
}

/** The configs that share a lockfile, with their deployments. */
export interface LockedConfigs {
  readonly configs: readonly string[];
  readonly deployments: readonly Deployment[];
  /** False if a list of deployments can't be read, so that there can be others. */
  readonly areAllRead: boolean;
}

/**
 * Finds the charts of the adapters of deployments. The adapters are those of `entries`, the modules
 * that the new lockfile contains.
 */
export async function findChartsToLock(
  source: ConfigSource,
  { configs, deployments, areAllRead }: LockedConfigs,
  file: string,
  entries: LockEntries,
  before: Lockfile | undefined,
): Promise<AdapterChartLocks> {
  const locked = withFile(source, file, renderLockfile(entries));
  const found: FoundCharts[] = [];
  // The compiler evaluates one deployment at a time, and each rendered chart can have 100 MiB.
  const findCharts = createChartFinder(locked);
  for (const deployment of deployments) found.push(await findCharts(deployment));
  const known = new Set(entries.charts.map(chartLockKey));
  const charts = new Map(
    found
      .flatMap((each) => each.charts)
      .map((chart) => [chartLockKey(chart), chart] as const)
      .filter(([key]) => !known.has(key)),
  );
  const areKnown = configs.every((config) => deployments.some((each) => each.config === config));
  const unknown = (before?.charts ?? [])
    .filter((each) => !known.has(chartLockKey(each)) && !charts.has(chartLockKey(each)))
    .map(({ where: _where, ...entry }) => entry);
  const kept = areAllRead && areKnown ? await filterReachable(unknown, found) : unknown;
  const ofDeployments = distinct(found.flatMap((each) => each.notices));
  const isExplained = kept.length === 0 || ofDeployments.some(isUnknown);
  const notices = isExplained ? ofDeployments : [...ofDeployments, keptNotice(file, kept)];
  return { charts: [...charts.values()], kept, notices };
}

/** Returns the entries that a deployment can use whose charts aren't completely known. */
async function filterReachable(
  entries: readonly ChartLock[],
  found: readonly FoundCharts[],
): Promise<readonly ChartLock[]> {
  const incomplete = found.filter((each) => !each.isComplete);
  if (entries.length === 0 || incomplete.length === 0) return [];
  const reachable: ReachableCharts[] = [];
  for (const { findReachable } of incomplete) {
    if (findReachable === undefined) return entries;
    reachable.push(await findReachable());
  }
  return entries.filter((entry) => reachable.some((charts) => charts.includes(entry)));
}

/** Reports whether a notice says that charts aren't known. */
function isUnknown({ code }: Problem): boolean {
  return code === "charts-unknown";
}

function keptNotice(file: string, kept: readonly ChartLock[]): Problem {
  return {
    code: "charts-unknown",
    where: [],
    what: `${file} contains charts that qvs didn't find`,
    facts: [{ label: "charts", value: summarizeList(kept.map(describeChart), 3) }],
    why: "A deployment can need them with other parameters, or if qvs couldn't compile it",
    fix: `Remove these entries from ${file} if no deployment needs them`,
  };
}

function describeChart(chart: ChartLock): string {
  return `${chartTitle(chart)} ${chart.version}`;
}

/** Returns the source with another content of one file, as if it was already written. */
function withFile(source: ConfigSource, file: string, text: string): ConfigSource {
  const { tree } = source;
  const changed: SourceTree = {
    ...tree,
    read: async (path) => (path === file ? text : tree.read(path)),
    readBytes: async (path) => (path === file ? Buffer.from(text) : tree.readBytes(path)),
    list: async (endings) => {
      const paths = await tree.list(endings);
      const isListed = endings.some((ending) => file.endsWith(ending));
      return isListed ? [...new Set([...paths, file])].sort() : paths;
    },
  };
  return { ...source, tree: changed };
}

/** Returns the source with lists of files that are read once, for a run that writes no file. */
export function listOnce(source: ConfigSource): ConfigSource {
  const lists = new Map<string, ReturnType<SourceTree["list"]>>();
  const { tree } = source;
  const list: SourceTree["list"] = (endings) => {
    const key = JSON.stringify(endings);
    const known = lists.get(key) ?? tree.list(endings);
    lists.set(key, known);
    return known;
  };
  return { ...source, tree: { ...tree, list } };
}
