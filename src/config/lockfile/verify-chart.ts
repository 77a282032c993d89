import { failed, ok, type Problem, type Result } from "../../model/problems/problem.ts";
import { chartTitle, type PlacedChart } from "../../model/remote-chart.ts";
import { chartLockKey, type LockedChart, type Lockfile, lockfilePath } from "./lockfile.ts";

/**
 * Returns the entry of a chart. A chart that isn't locked is an error in every command, even
 * without a lockfile: qvs contacts only registries that a lockfile names.
 */
export function findChartLock(
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
export function changedChartProblem(chart: PlacedChart, entry: LockedChart): Problem {
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
