import type { Manifest } from "../model/compilation.ts";
import { failed, ok, type Result } from "../model/problem.ts";
import type { Release } from "../model/release.ts";

/** The release that `rollback --to` means: a revision, or the newest succeeded one before the newest of all. */
export function selectRelease(
  releases: readonly Release[],
  to: number | "previous",
): Result<Release> {
  const newestFirst = releases.toSorted((a, b) => b.revision - a.revision);
  const found =
    to === "previous"
      ? newestFirst.slice(1).find((release) => release.status === "succeeded")
      : newestFirst.find((release) => release.revision === to);
  if (found !== undefined) return ok(found);
  const known = newestFirst.map(({ revision, status }) => `${revision} (${status})`).join(", ");
  return failed([
    {
      what:
        to === "previous"
          ? "No release before the newest one has succeeded"
          : `There is no release ${to}`,
      fix: known === "" ? "Deploy first: nothing is recorded yet" : `Choose one of ${known}`,
      where: [],
    },
  ]);
}

/** What a release deployed, as the planner takes it. */
export function manifestsOf(release: Release): readonly Manifest[] {
  return release.expandedConfig.map(({ stage, resource, object, dependsOn, references }) => ({
    type: "manifest",
    stage,
    id: resource,
    object,
    dependsOn,
    ...(references === true ? {} : { settled: true }),
  }));
}
