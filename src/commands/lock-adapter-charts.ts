import {
  type ChartLock,
  chartLockKey,
  type LockEntries,
  type Lockfile,
} from "../config/lockfile/lockfile.ts";
import { renderLockfile } from "../config/lockfile/parse-lockfile.ts";
import type { Deployment } from "../model/deployment.ts";
import { distinct, type Problem } from "../model/problems/problem.ts";
import type { PlacedChart } from "../model/remote-chart.ts";
import type { ConfigSource } from "../ports/world.ts";
import {
  type FoundCharts,
  findAdapterCharts,
} from "../sources/charts/adapters/find-adapter-charts.ts";
import { withFile } from "../sources/with-file.ts";

/** The charts that a lockfile must contain for adapters. */
export interface AdapterChartLocks {
  /** The charts to resolve, each once. */
  readonly charts: readonly PlacedChart[];
  /** The entries of the existing lockfile that stay, because a deployment doesn't compile. */
  readonly kept: readonly ChartLock[];
  readonly notices: readonly Problem[];
}

/** The configs that share a lockfile, with their deployments. */
interface LockedConfigs {
  readonly configs: readonly string[];
  readonly deployments: readonly Deployment[];
}

/**
 * Finds the charts of the adapters of deployments. The adapters are those of `entries`, the modules
 * that the new lockfile contains.
 */
export async function findChartsToLock(
  source: ConfigSource,
  { configs, deployments }: LockedConfigs,
  file: string,
  entries: LockEntries,
  before: Lockfile | undefined,
): Promise<AdapterChartLocks> {
  const locked = withFile(source, file, renderLockfile(entries));
  const found: FoundCharts[] = [];
  // The compiler evaluates one deployment at a time, and each rendered chart can have 100 MiB.
  for (const deployment of deployments) found.push(await findAdapterCharts(locked, deployment));
  const known = new Set(entries.charts.map(chartLockKey));
  const charts = new Map(
    found
      .flatMap((each) => each.charts)
      .map((chart) => [chartLockKey(chart), chart] as const)
      .filter(([key]) => !known.has(key)),
  );
  const areKnown = configs.every((config) => deployments.some((each) => each.config === config));
  const isComplete = areKnown && found.every((each) => each.isComplete);
  const kept = isComplete
    ? []
    : (before?.charts ?? [])
        .filter((each) => !known.has(chartLockKey(each)) && !charts.has(chartLockKey(each)))
        .map(({ where: _where, ...entry }) => entry);
  const notices = distinct(found.flatMap((each) => each.notices));
  return { charts: [...charts.values()], kept, notices };
}
