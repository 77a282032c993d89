import type { Deployment } from "../model/deployment.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ReleaseSource } from "../model/release.ts";
import type { ReleaseHistory } from "../model/release-history.ts";

/**
 * Returns a problem if the deployment name belongs to another application.
 * Two applications with one deployment name in one namespace would delete each other's objects. The
 * newest release decides: another config path is another application. Another repository is one,
 * too, if both are known. qvs accepts a directory without a remote, and a record without a source.
 */
export function sourceMismatch(
  history: ReleaseHistory,
  here: ReleaseSource,
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
): Problem | undefined {
  const newest = history.newest?.source;
  if (newest === undefined || isSameSource(newest, here)) return undefined;
  return {
    code: "deployment-source-mismatch",
    what: `"${name}" in namespace ${namespace} was last deployed from another source`,
    facts: [
      { label: "last source", value: sourceText(newest) },
      { label: "this source", value: sourceText(here) },
    ],
    why: "Two applications with the same name and namespace would delete each other's objects",
    fix: "Give one of them another name or namespace",
    otherwise: ["adopt it with --adopt if the application has moved here"],
    inputs: ["adopt: true"],
    where: [],
  };
}

function isSameSource(before: ReleaseSource, here: ReleaseSource): boolean {
  return (
    isSameOrUnknown(before.config, here.config) &&
    isSameOrUnknown(before.repository?.toLowerCase(), here.repository?.toLowerCase())
  );
}

function isSameOrUnknown(before: string | undefined, here: string | undefined): boolean {
  return before === undefined || here === undefined || before === here;
}

function sourceText({ repository, config }: ReleaseSource): string {
  return [repository, config].filter((part) => part !== undefined).join(":");
}
