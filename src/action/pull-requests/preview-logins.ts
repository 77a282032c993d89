import type { Lockfile } from "../../config/lockfile/lockfile.ts";
import { parseLockfile } from "../../config/lockfile/parse-lockfile.ts";
import type { GitHubEvent } from "../../io/github/event.ts";
import { catchProblems } from "../../model/problems/errors.ts";
import type { RemoteChart } from "../../model/sources/remote-chart.ts";
import type { SourceTree } from "../../ports/git.ts";
import type { World } from "../../ports/world.ts";
import type { LoginRules } from "../../world/open-world.ts";

type Commits = Pick<World, "repository" | "commitTree">;

/**
 * Returns the rules for the logins in an event; undefined if it isn't a preview.
 * A preview uses a login only for charts and repositories of remote bases that a lockfile of the
 * base commit contains, and none for a fork. A pull request could otherwise read any private chart
 * and any private repository with a kustomization.
 */
export function previewLogins(event: GitHubEvent): ((commits: Commits) => LoginRules) | undefined {
  if (event.type !== "pull_request" && event.type !== "merge_group") return undefined;
  const never = async () => false;
  if (event.type === "pull_request" && event.fromFork) return () => ({ chart: never, base: never });
  const { baseSha: base } = event;
  return ({ repository, commitTree }) => {
    const readKeys = async () => {
      // The author of a pull request chooses the parents of its commits, but not the event's base.
      const commit = (await repository?.mergeBase(base, "HEAD")) ?? base;
      const known = await repository?.resolve(commit);
      return known === undefined ? new Set<string>() : lockedKeys(commitTree(known));
    };
    let keys: Promise<ReadonlySet<string>> | undefined;
    const isLocked = async (key: string) => {
      keys ??= readKeys();
      return (await keys).has(key);
    };
    return {
      chart: (chart) => isLocked(chartKey(chart)),
      base: (repository) => isLocked(baseKey(repository)),
    };
  };
}

/** Returns the charts and bases of all lockfiles. An unreadable lockfile contains none. */
async function lockedKeys(tree: SourceTree): Promise<ReadonlySet<string>> {
  const keys: string[] = [];
  for (const file of await tree.list(["qvs.lock"])) {
    if (file !== "qvs.lock" && !file.endsWith("/qvs.lock")) continue;
    const text = await catchProblems(() => tree.read(file));
    const lock = text.ok && text.value !== undefined ? parseLockfile(file, text.value) : undefined;
    if (lock?.ok) keys.push(...keysOf(lock.value));
  }
  return new Set(keys);
}

function keysOf({ charts, bases }: Lockfile): readonly string[] {
  return [...charts.map(chartKey), ...bases.map(({ repository }) => baseKey(repository))];
}

function chartKey({ repository = "", chart }: Omit<RemoteChart, "version">): string {
  return JSON.stringify(["chart", repository, chart]);
}

function baseKey(repository: string): string {
  return JSON.stringify(["base", repository]);
}
