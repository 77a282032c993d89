import { deploymentLabel } from "../model/annotations.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { Release } from "../model/release.ts";

/** A record that is damaged, or that another client wrote. */
export interface UnreadableRecord {
  readonly revision: number;
  readonly problem: Problem;
}

/**
 * Returns the unreadable records that might describe live objects.
 * They are newer than the newest readable release that succeeded. The inventory of that release
 * contains all older objects.
 */
export function mayTellWhatIsLive(
  unreadable: readonly UnreadableRecord[],
  releases: readonly Pick<Release, "revision" | "status">[],
): readonly UnreadableRecord[] {
  const succeeded = releases.filter(({ status }) => status === "succeeded");
  const newest = Math.max(0, ...succeeded.map(({ revision }) => revision));
  return unreadable.filter(({ revision }) => revision > newest);
}

/**
 * Explains the effect of each unreadable record on a new deployment, which continues without it.
 */
export function noticesOf(
  unreadable: readonly UnreadableRecord[],
  releases: readonly Release[],
  deployment: string,
): readonly Problem[] {
  const lost = new Set(mayTellWhatIsLive(unreadable, releases));
  return unreadable.map((record) => {
    const { problem } = record;
    const meaning = lost.has(record)
      ? `Nothing is deleted this time, since it may have known what of it is to stay; objects that only it knew stay for good (kubectl get all -l ${deploymentLabel}=${deployment}), and whether a newer commit was deployed is not known`
      : "What it deployed is known from newer releases; it can't be gone back to";
    return { ...problem, what: `${problem.what}. ${meaning}` };
  });
}

/** Returns the reason why deletions wait. Undefined if all necessary records are readable. */
export function whyNothingIsDeleted(
  unreadable: readonly UnreadableRecord[],
  releases: readonly Release[],
): string | undefined {
  const [lost] = mayTellWhatIsLive(unreadable, releases);
  return lost && `release ${lost.revision} can't be read, and may have known that it is to stay`;
}

/** Fails if the choice of a release depends on an unreadable record. */
export function refuseUnreadable(
  to: number | "previous" | "running",
  unreadable: readonly UnreadableRecord[],
  releases: readonly Release[],
): Result<undefined> {
  if (typeof to === "number") {
    const chosen = unreadable.filter(({ revision }) => revision === to);
    return chosen.length === 0 ? ok(undefined) : failed(chosen.map(({ problem }) => problem));
  }
  const newest = Math.max(0, ...releases.map(({ revision }) => revision));
  const newer = unreadable.filter(({ revision }) => revision > newest);
  if (newer.length === 0) return ok(undefined);
  const what =
    to === "previous"
      ? "so which release is the previous one is not known"
      : "so what should be there is not known";
  const fix = to === "previous" ? "Name the release by its number" : "Deploy again";
  return failed(
    newer.map(({ problem }) => ({
      ...problem,
      what: `${problem.what}, ${what}`,
      fix: `${fix}, or: ${problem.fix}`,
    })),
  );
}
