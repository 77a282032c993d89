import {
  chartLockKey,
  type LockedChart,
  type Lockfile,
  lockedChart,
  lockfilePath,
} from "../../config/lockfile/lockfile.ts";
import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import type { LockedSource } from "../../model/sources/locked-source.ts";
import { chartTitle, type PlacedChart } from "../../model/sources/remote-chart.ts";
import type { ConfigSource } from "../../ports/world.ts";
import { readLock } from "../read-lock.ts";

/** The content of a locked chart. */
interface OpenedChart {
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

/**
 * Returns the entry of a chart. A chart that isn't locked is an error in every command, even
 * without a lockfile: qvs contacts only registries that a lockfile names.
 */
function findChartLock(
  config: string,
  lock: Lockfile | undefined,
  chart: PlacedChart,
): Result<LockedChart> {
  const key = chartLockKey(chart);
  const charts = lock?.charts ?? [];
  const entry = charts.find((each) => chartLockKey(each) === key);
  if (entry !== undefined) return ok(entry);
  const others = charts.filter((each) => chartLockKey({ ...each, version: chart.version }) === key);
  const fix = `Run \`qvs lock\` and commit ${lockfilePath(config)}`;
  const [other] = others;
  const what = `Chart ${chartTitle(chart)} at "${chart.version}" isn't locked`;
  const found = other && {
    facts: [{ label: "locked", value: others.map((each) => `"${each.version}"`).join(" and ") }],
  };
  const where = other === undefined ? [chart.where] : [chart.where, other.where];
  return failed([{ code: "lock-file-outdated", where, what, ...found, fix }]);
}

/**
 * Reports a version that has another content than the locked one. Versions aren't expected to
 * change, so either content is unexpected.
 */
function changedChartProblem(chart: PlacedChart, entry: LockedChart): Problem {
  return {
    code: "chart-content-changed",
    where: [chart.where, entry.where],
    what: `Chart ${chartTitle(chart)} at "${chart.version}" was replaced`,
    // The digest of the current content would let a pull request lock a chart that it can't read.
    facts: [{ label: "locked", value: entry.digest }],
    why: "The registry has another content under this version",
    fix: "Find out who replaced it and why",
    otherwise: [`run \`qvs lock\` and commit ${entry.where.file}, if the new content is correct`],
  };
}
