import { parseLockfile } from "../../config/lockfile/parse-lockfile.ts";
import type { GitHubEvent } from "../../io/github/event.ts";
import { catchProblems } from "../../model/problems/errors.ts";
import type { RemoteChart } from "../../model/remote-chart.ts";
import type { ChartLoginRule } from "../../ports/charts.ts";
import type { SourceTree } from "../../ports/git.ts";
import type { World } from "../../ports/world.ts";

type Commits = Pick<World, "repository" | "commitTree">;

/**
 * Returns the rule for the logins of charts in an event; undefined if it isn't a preview.
 * A preview uses a login only for charts that a lockfile of the base commit contains, and none for
 * a fork. A pull request could otherwise read any private chart.
 */
export function previewChartLogins(
  event: GitHubEvent,
): ((commits: Commits) => ChartLoginRule) | undefined {
  if (event.type !== "pull_request" && event.type !== "merge_group") return undefined;
  if (event.type === "pull_request" && event.fromFork) return () => async () => false;
  const { baseSha: base } = event;
  return ({ repository, commitTree }) => {
    const readKeys = async () => {
      // The author of a pull request chooses the parents of its commits, but not the event's base.
      const commit = (await repository?.mergeBase(base, "HEAD")) ?? base;
      const known = await repository?.resolve(commit);
      return known === undefined ? new Set<string>() : lockedChartKeys(commitTree(known));
    };
    let keys: Promise<ReadonlySet<string>> | undefined;
    return async (chart) => {
      keys ??= readKeys();
      return (await keys).has(chartKey(chart));
    };
  };
}

/** Returns the charts of all lockfiles. An unreadable lockfile contains none. */
async function lockedChartKeys(tree: SourceTree): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const file of await tree.list(["qvs.lock"])) {
    if (file !== "qvs.lock" && !file.endsWith("/qvs.lock")) continue;
    const text = await catchProblems(() => tree.read(file));
    const lock = text.ok && text.value !== undefined ? parseLockfile(file, text.value) : undefined;
    for (const chart of lock?.ok ? lock.value.charts : []) keys.add(chartKey(chart));
  }
  return keys;
}

function chartKey({ repository = "", chart }: Omit<RemoteChart, "version">): string {
  return JSON.stringify([repository, chart]);
}
