import type { Challenger, LockRun, YieldRules } from "../model/cluster/deployment-lock.ts";
import type { ReleaseSource } from "../model/deployments/release.ts";
import type { Fact, Problem } from "../model/problems/problem.ts";
import type { CommitRelation } from "../ports/git.ts";

/**
 * Returns the rules by which a run yields to another one
 * (docs/reference/deployment.md#superseded-runs).
 * A run requests the lock only if it can prove that it is newer: by its commit, or because it is a
 * rollback. A rollback never yields. The holder yields unless it knows that the other commit isn't
 * newer. Its clone is the older one and might lack the newer commit.
 */
export function createYieldRules(
  does: LockRun["does"],
  { commit, uncommitted }: Pick<ReleaseSource, "commit" | "uncommitted">,
  compareCommits: (commit: string, other: string) => Promise<CommitRelation>,
  /**
   * Reports whether the newer run could start at once. A run must not be interrupted for one that
   * is then blocked.
   */
  canDeploy: () => Promise<boolean>,
): YieldRules {
  const self: LockRun = { does, commit: uncommitted === true ? undefined : commit };
  const relation = async (a: LockRun, b: LockRun): Promise<CommitRelation> => {
    if (a.commit === undefined || b.commit === undefined) return "unknown";
    return compareCommits(a.commit, b.commit).catch(() => "unknown" as const);
  };
  return {
    self,
    mayChallenge: async (holder) => {
      if (holder.does === "rollback") return false;
      const isNewer = does === "rollback" || (await relation(self, holder)) === "newer";
      return isNewer && canDeploy();
    },
    yieldsTo: async (asker) => {
      if (does === "rollback") return false;
      if (asker.does === "rollback") return true;
      const known = asker.commit === undefined ? "same" : await relation(asker, self);
      return known === "newer" || known === "unknown";
    },
  };
}

/** Returns the notice about a run that was superseded before its first change. */
export function supersededBeforeStart(
  deployment: string,
  { challenger: asker }: { challenger(): Challenger | undefined },
): Problem {
  return {
    code: "run-superseded",
    where: [],
    what: `This run of "${deployment}" was superseded before its first change`,
    facts: newerRunFacts(asker()),
    fix: "Nothing to do: nothing was changed",
  };
}

/** Returns the notice about a run that was superseded before everything was ready. */
export function supersededNotice(deployment: string, challenger: Challenger): Problem {
  return {
    code: "run-superseded",
    where: [],
    what: `This run of "${deployment}" was superseded before all objects were ready`,
    facts: newerRunFacts(challenger),
    fix: "Nothing to do: the newer run continues from the state that this run left",
  };
}

function newerRunFacts(challenger: Challenger | undefined): readonly Fact[] {
  if (challenger === undefined) return [];
  const what =
    challenger.does === "rollback" ? "a rollback" : `commit ${challenger.commit?.slice(0, 12)}`;
  const [run = ""] = challenger.by.split(" ");
  // Everyone can read this text in comments, so it must not contain the name of a user's machine.
  const value = run.startsWith("https://") ? `${what} in ${run}` : what;
  return [{ label: "newer run", value }];
}
