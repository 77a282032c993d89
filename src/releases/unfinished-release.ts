import { describeHolder, isLockActive, type LockStatus } from "../model/cluster/deployment-lock.ts";
import type { Release } from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import { nameFromKey } from "../model/object.ts";
import type { Fact, Problem } from "../model/problems/problem.ts";
import { summarizeList } from "../model/text/suggest.ts";

const maxNames = 3;

/**
 * The effect of the shown plan on the unfinished work. The last kind of plan doesn't complete it.
 */
export type NextPlan = "deploys changes" | "deploys the same" | "goes back or deletes";

/** The action for a user, and the effect of the shown plan on the unfinished work. */
interface UnfinishedAdvice {
  readonly fix: string;
  readonly effect?: string;
}

type AdviceByPlan = Readonly<Record<NextPlan, UnfinishedAdvice>>;

const findCause = "Find out why before you deploy again";

const afterFailure: AdviceByPlan = {
  "deploys changes": {
    fix: findCause,
    effect: "This plan includes the work that it didn't finish",
  },
  "deploys the same": {
    fix: findCause,
    effect: "Nothing is left to change, and the next deployment waits for the same objects",
  },
  "goes back or deletes": { fix: "Wait until it has ended if it still runs" },
};

/** The advice after a canceled run, whose cause needs no investigation. */
const afterCancellation: AdviceByPlan = {
  ...afterFailure,
  "deploys changes": { fix: "Nothing to do: this plan includes the work that it didn't finish" },
  "deploys the same": {
    fix: "Nothing to do: nothing is left to change, and the next deployment waits until all objects are ready",
  },
};

const whileRunning: AdviceByPlan = {
  "deploys changes": {
    fix: "Wait until it has ended",
    effect: "This plan includes the work that it hasn't finished yet",
  },
  "deploys the same": {
    fix: "Wait until it has ended",
    effect: "Nothing is left to change, but not all objects are ready",
  },
  "goes back or deletes": { fix: "Wait until it has ended" },
};

/**
 * Reports that the newest release didn't succeed.
 * The cluster then contains parts of this release and of the one before. For a rollback or a
 * deletion of everything, only a run that might not have ended matters.
 */
export function unfinishedRelease(
  { newest, current }: ReleaseHistory,
  next: NextPlan,
  lock: LockStatus = "unknown",
): readonly Problem[] {
  if (newest === undefined || newest.status === "succeeded") return [];
  if (next === "goes back or deletes" && newest.status !== "pending") return [];
  const { fix, effect } = selectAdvice(newest, lock)[next];
  const { fact, facts, cause } = describeEnd(newest, lock);
  const last = current === undefined ? "none" : `release ${current.revision}`;
  const why = [cause, effect].filter((text) => text !== undefined).join(". ");
  return [
    {
      code: "unfinished-release",
      where: [],
      what: `Release ${newest.revision} ${fact}`,
      facts: [...facts, { label: "last success", value: last }],
      ...(why === "" ? {} : { why }),
      fix,
    },
  ];
}

function selectAdvice({ status, cancelled }: Release, lock: LockStatus): AdviceByPlan {
  if (status === "pending" && isLockActive(lock)) return whileRunning;
  return cancelled === true ? afterCancellation : afterFailure;
}

interface EndDescription {
  readonly fact: string;
  readonly facts: readonly Fact[];
  readonly cause?: string;
}

function describeEnd(release: Release, lock: LockStatus): EndDescription {
  const { status, superseded, cancelled, results } = release;
  if (status === "pending") return describePendingEnd(release, lock);
  if (superseded !== undefined)
    return { fact: "was superseded by a newer run before it was done", facts: [] };
  if (cancelled === true) return { fact: "was canceled before it was done", facts: [] };
  const failed = results
    .filter(({ outcome }) => outcome === "failed")
    .map(({ key }) => nameFromKey(key));
  return {
    fact: "failed",
    facts:
      failed.length === 0 ? [] : [{ label: "failed at", value: summarizeList(failed, maxNames) }],
  };
}

function describePendingEnd({ startedAt, source }: Release, lock: LockStatus): EndDescription {
  if (isLockActive(lock))
    return { fact: "is under way", facts: [{ label: "lock", value: describeHolder(lock) }] };
  const run = [source.run, source.actor === undefined ? undefined : `by ${source.actor}`];
  const known = run.filter((each) => each !== undefined).join(", ");
  const started = `${startedAt.replace(/\.\d+Z$/, "Z")}${known === "" ? "" : ` (${known})`}`;
  const facts = [{ label: "started", value: started }];
  const killed = "killed before it could record its end";
  return lock === "unknown"
    ? { fact: "hasn't ended", facts, cause: `It still runs, or it was ${killed}` }
    : { fact: "never ended", facts, cause: `It was ${killed}` };
}
