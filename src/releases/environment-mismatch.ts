import type { Deployment } from "../model/deployment.ts";
import {
  type EnvironmentOwner,
  isSameOwner,
  type PreviewEnvironment,
} from "../model/preview-environment.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { ReleaseHistory } from "../model/release-history.ts";
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
