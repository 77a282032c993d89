import { holderInWords, isUnderWay, type KnownLock } from "../model/cluster/lock-state.ts";
import { nameOfKey } from "../model/object.ts";
import type { Problem } from "../model/problems/problem.ts";
import { fromNewest, type Release } from "../model/release.ts";
import { listed } from "../model/text/closest.ts";

const mostNames = 3;

/**
 * The effect of the shown plan on the unfinished work. The last kind of plan doesn't complete it.
 */
export type NextPlan = "deploys changes" | "deploys the same" | "goes back or deletes";

const fixes: Readonly<Record<NextPlan, string>> = {
  "deploys changes":
    "Find out why before you deploy again: what it did not get done is part of this plan",
  "deploys the same":
    "Find out why before you deploy again: nothing is left to be changed, and the next deployment waits for the same",
  "goes back or deletes": "If it still runs, wait until it has ended",
};

/** The fixes after a canceled run, whose cause needs no investigation. */
const continues: Readonly<Record<NextPlan, string>> = {
  ...fixes,
  "deploys changes": "What it did not get done is part of this plan",
  "deploys the same":
    "Nothing is left to be changed, and the next deployment waits until all is ready",
};

const waits: Readonly<Record<NextPlan, string>> = {
  "deploys changes": "Wait until it has ended: what it has not done yet is part of this plan",
  "deploys the same":
    "Wait until it has ended: nothing is left to be changed, but not all is ready",
  "goes back or deletes": "Wait until it has ended",
};

/**
 * Reports that the newest release didn't succeed.
 * The cluster then contains parts of this release and of the one before. For a rollback or a
 * deletion of everything, only a run that might not have ended matters.
 */
export function unfinishedRelease(
  releases: readonly Release[],
  next: NextPlan,
  lock: KnownLock = "unknown",
): readonly Problem[] {
  const newestFirst = fromNewest(releases);
  const [newest] = newestFirst;
  if (newest === undefined || newest.status === "succeeded") return [];
  if (next === "goes back or deletes" && newest.status !== "pending") return [];
  const before = newestFirst.find(({ status }) => status === "succeeded");
  const last =
    before === undefined
      ? "no release has succeeded"
      : `the last that succeeded is ${before.revision}`;
  return [
    {
      code: "unfinished-release",
      where: [],
      what: `Release ${newest.revision} ${endOf(newest, lock)}; ${last}`,
      fix: fixesFor(newest, lock)[next],
    },
  ];
}

function fixesFor({ status, cancelled }: Release, lock: KnownLock): typeof fixes {
  if (status === "pending" && isUnderWay(lock)) return waits;
  return cancelled === true ? continues : fixes;
}

function endOf(release: Release, lock: KnownLock): string {
  const { status, superseded, cancelled, results } = release;
  if (status === "pending") return endOfPending(release, lock);
  if (superseded !== undefined) return "gave way to a newer run before it was done";
  if (cancelled === true) return "was cancelled before it was done";
  const failed = results
    .filter(({ outcome }) => outcome === "failed")
    .map(({ key }) => nameOfKey(key));
  return failed.length === 0 ? "failed" : `failed at ${listed(failed, mostNames)}`;
}

function endOfPending({ startedAt, source }: Release, lock: KnownLock): string {
  if (isUnderWay(lock)) return `is under way: ${holderInWords(lock)}`;
  const run = [source.run, source.actor === undefined ? undefined : `by ${source.actor}`];
  const known = run.filter((each) => each !== undefined).join(", ");
  const begun = `begun ${startedAt.replace(/\.\d+Z$/, "Z")}${known === "" ? "" : ` (${known})`}`;
  if (lock === "unknown")
    return `has not ended: ${begun}, it still runs, or was killed before it could say how it ended`;
  return `never ended: ${begun}, it was killed before it could say how it ended`;
}
