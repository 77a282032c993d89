import type { Deployment } from "../model/deployments/deployment.ts";
import {
  type EnvironmentOwner,
  isSameOwner,
  type PreviewEnvironment,
} from "../model/deployments/preview-environment.ts";
import type { ReleaseSource } from "../model/deployments/release.ts";
import type { ReleaseHistory } from "../model/deployments/release-history.ts";
import type { Problem } from "../model/problems/problem.ts";
import { deleteEnvironmentCommand } from "../model/text/qvs-commands.ts";

/**
 * Returns a problem if the releases of a deployment aren't those of the same environment.
 * Repositories can share a cluster, a namespace and names. None may change the environment of
 * another. No flag adopts one.
 */
export function environmentMismatch(
  { newest }: ReleaseHistory,
  deployment: Deployment,
): Problem | undefined {
  if (newest === undefined) return undefined;
  const here = deployment.environmentOf?.recorded;
  const { environment } = newest;
  if (here === undefined && environment === undefined) return undefined;
  if (here === undefined || environment === undefined || !isSameOwner(here, environment))
    return notOwnProblem(deployment, environment, here);
  return here.namespace === environment.namespace
    ? undefined
    : movedProblem(deployment, environment, here);
}

/** Returns the problem of an environment whose template has another namespace now. */
function movedProblem(
  { name, context }: Pick<Deployment, "name" | "context">,
  recorded: PreviewEnvironment,
  here: PreviewEnvironment,
): Problem {
  return {
    code: "environment-not-own",
    what: `The environment "${name}" is in namespace ${recorded.namespace}`,
    why: `The namespace in preview changed to ${here.namespace}. An environment can't move`,
    fix: `Delete the old environment, then run this again: ${deleteEnvironmentCommand(here, { context })}`,
    otherwise: ["restore the earlier namespace in preview"],
    where: [],
  };
}

/** Returns the problem of an environment that belongs to someone else. */
export function notOwnProblem(
  { name, namespace }: Pick<Deployment, "name" | "namespace">,
  recorded: PreviewEnvironment | undefined,
  here: EnvironmentOwner | undefined,
): Problem {
  return {
    code: "environment-not-own",
    what: `The releases of "${name}" in namespace ${namespace} belong to someone else`,
    facts: [
      { label: "recorded", value: ownerText(recorded) },
      { label: "here", value: ownerText(here) },
    ],
    fix: "Give one of the two deployments another name or namespace",
    otherwise: ["delete the recorded one first if no one needs it"],
    where: [],
  };
}

function ownerText(owner: (EnvironmentOwner & { readonly namespace?: string }) | undefined) {
  if (owner === undefined) return "a deployment that is no environment";
  const { repository, list, entry, number, namespace } = owner;
  const repositoryText = repository.path ?? repository.id ?? "an unknown repository";
  const place = namespace === undefined ? "" : ` in namespace ${namespace}`;
  return `${repositoryText}:${list}, ${entry} of pull request #${number}${place}`;
}

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
