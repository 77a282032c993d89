import { lockedChart } from "../../config/lockfile/locked-sources.ts";
import { changedChartProblem, findChartLock } from "../../config/lockfile/verify-chart.ts";
import type { LockedSource } from "../../model/locked-source.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { PlacedChart } from "../../model/remote-chart.ts";
import type { ConfigSource } from "../../ports/world.ts";
import { readLock } from "../read-lock.ts";

/** The content of a locked chart. */
export interface OpenedChart {
  readonly content: Uint8Array;
  readonly locked: LockedSource;
  readonly notices: readonly Problem[];
}

/**
 * Opens a chart of a registry at the digest in the lockfile next to the config. The cache or the
 * registry gives its content.
 */
export async function openChart(
  source: ConfigSource,
  chart: PlacedChart,
  config: string,
): Promise<Result<OpenedChart>> {
  const lock = await readLock(source, config);
  if (!lock.ok) return lock;
  const entry = findChartLock(config, lock.value, chart);
  if (!entry.ok) return entry;
  const locked = lockedChart(entry.value);
  const fetched = await source.charts.fetch({ ...chart, locked: entry.value.digest });
  if (!fetched.ok) return failed(placedAt(chart, fetched.problems));
  const { digest, content } = fetched.value;
  if (content === undefined) return failed([changedChartProblem(chart, entry.value)]);
  if (digest === entry.value.digest) return ok({ content, locked, notices: [] });
  const changed = changedChartProblem(chart, entry.value);
  // A version that was replaced later doesn't prevent a comparison with a merged commit.
  return source.past === true ? ok({ content, locked, notices: [changed] }) : failed([changed]);
}

/** Adds the place in the config to the errors of a registry. */
function placedAt(
  { where }: Pick<PlacedChart, "where">,
  problems: readonly Problem[],
): readonly Problem[] {
  return problems.map((problem) => ({ ...problem, where: [where, ...problem.where] }));
}
