import type { Deployment } from "../model/deployment.ts";
import type { Problem } from "../model/problems/problem.ts";
import { newestOf, type Release, type ReleaseSource } from "../model/release.ts";

/**
 * Returns a problem if the deployment name belongs to another application.
 * Two applications with one deployment name in one namespace would delete each other's objects. The
 * newest release decides: another config path is another application. Another repository is one,
 * too, if both are known. qvs accepts a directory without a remote, and a record without a source.
 */
export function problemOfOtherSource(
  releases: readonly Release[],
  here: ReleaseSource,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): Problem | undefined {
  const newest = newestOf(releases)?.source;
  if (newest === undefined || isSame(newest, here)) return undefined;
  return {
    code: "other-source",
    what: `The deployment "${name}" in namespace ${namespace} was last deployed from ${textOf(newest)}, not from here (${textOf(here)})`,
    fix: "Give one of them another name or namespace; if it has moved here, take it over with --adopt",
    inputs: ["adopt: true"],
    where: [],
  };
}

function isSame(before: ReleaseSource, here: ReleaseSource): boolean {
  return (
    isSameText(before.config, here.config) &&
    isSameText(before.repository?.toLowerCase(), here.repository?.toLowerCase())
  );
}

function isSameText(before: string | undefined, here: string | undefined): boolean {
  return before === undefined || here === undefined || before === here;
}

function textOf({ repository, config }: ReleaseSource): string {
  return [repository, config].filter((part) => part !== undefined).join(":");
}
