import { nameOfKey } from "../model/object.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { Release } from "../model/release.ts";
import { listed } from "../model/text/closest.ts";

const mostNames = 3;

/** What the plan that is shown does about it: other plans are no deployment of what was not done. */
export type NextPlan = "deploys changes" | "deploys the same" | "goes back or deletes";

const fixes: Readonly<Record<NextPlan, string>> = {
  "deploys changes":
    "Find out why before you deploy again: what it did not get done is part of this plan",
  "deploys the same":
    "Find out why before you deploy again: nothing is left to be changed, and the next deployment waits for the same",
  "goes back or deletes": "If it still runs, wait until it has ended",
};

/**
 * That the newest release has not succeeded: what runs then is partly its work and partly that of the one before. Whoever goes back or
 * deletes all only has to know of a run that may not have ended.
 */
export function unfinishedRelease(
  releases: readonly Release[],
  next: NextPlan,
): readonly Problem[] {
  const newestFirst = releases.toSorted((a, b) => b.revision - a.revision);
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
      what: `Release ${newest.revision} ${endOf(newest)}; ${last}`,
      fix: fixes[next],
    },
  ];
}

function endOf({ status, superseded, results }: Release): string {
  if (status === "pending")
    return "has not ended: it still runs, or was stopped before it could say how it ended";
  if (superseded !== undefined) return "gave way to a newer run before it was done";
  const failed = results
    .filter(({ outcome }) => outcome === "failed")
    .map(({ key }) => nameOfKey(key));
  return failed.length === 0 ? "failed" : `failed at ${listed(failed, mostNames)}`;
}
