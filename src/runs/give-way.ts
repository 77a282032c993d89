import type { Asker, GiveWayRules, LockRun } from "../model/cluster/lock-run.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ReleaseSource } from "../model/release.ts";
import type { CommitRelation } from "../ports/git.ts";

/**
 * Who gives way to whom (docs/reference/deployment.md#superseded-runs). A run asks only if it can show that it is newer: by its commit, or
 * because a person goes back. A rollback gives way to nobody. The holder believes it, unless it knows better itself: its clone is
 * the older one, and may lack the newer commit.
 */
export function giveWayRules(
  does: LockRun["does"],
  { commit, uncommitted }: Pick<ReleaseSource, "commit" | "uncommitted">,
  relationOf: (commit: string, other: string) => Promise<CommitRelation>,
  /** Whether it could go on at once: nobody is interrupted for a run that is then refused. */
  couldDeploy: () => Promise<boolean>,
): GiveWayRules {
  const self: LockRun = { does, commit: uncommitted === true ? undefined : commit };
  const relation = async (a: LockRun, b: LockRun): Promise<CommitRelation> => {
    if (a.commit === undefined || b.commit === undefined) return "unknown";
    return relationOf(a.commit, b.commit).catch(() => "unknown" as const);
  };
  return {
    self,
    asks: async (holder) => {
      if (holder.does === "rollback") return false;
      const isNewer = does === "rollback" || (await relation(self, holder)) === "newer";
      return isNewer && couldDeploy();
    },
    yieldsTo: async (asker) => {
      if (does === "rollback") return false;
      if (asker.does === "rollback") return true;
      const known = asker.commit === undefined ? "same" : await relation(asker, self);
      return known === "newer" || known === "unknown";
    },
  };
}

/** Why a run ended before its first change. */
export function gaveWayBefore(
  deployment: string,
  { asker }: { asker(): Asker | undefined },
): Problem {
  const by = newerRun(asker());
  const what = `A newer run deploys "${deployment}": ${by}`;
  return { code: "gave-way", where: [], what, fix: "Nothing is to be done: nothing was changed" };
}

/** Why a run ended before all was ready, and what goes on from there. */
export function gaveWay(deployment: string, asker: Asker): Problem {
  const what = `This run of "${deployment}" gave way to a newer one, ${newerRun(asker)}, before everything was ready`;
  const fix = "Nothing is to be done: the newer run goes on from what this one has left";
  return { code: "gave-way", where: [], what, fix };
}

function newerRun(asker: Asker | undefined): string {
  if (asker === undefined) return "another run";
  const what = asker.does === "rollback" ? "a rollback" : `commit ${asker.commit?.slice(0, 12)}`;
  const [run = ""] = asker.by.split(" ");
  // This stands in comments that everybody reads, where the name of somebody's machine has no place.
  return run.startsWith("https://") ? `${what} by ${run}` : what;
}
