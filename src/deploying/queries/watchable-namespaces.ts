import { textAt } from "../../model/json.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { findDeniedPermissions } from "../../planning/permissions/find-denied-permissions.ts";
import type { Permission } from "../../planning/permissions/permission.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { concurrency } from "./list-recorded.ts";

/**
 * The namespaces in which an identity is allowed to watch releases, if it isn't allowed to in all
 * at once.
 */
export interface WatchableNamespaces {
  readonly watched: readonly string[];
  readonly skipped: readonly string[];
}

/**
 * Returns the watchable namespaces; undefined if all can be watched at once. Throws a UserError if
 * there are none.
 */
export async function watchableNamespaces(
  cluster: Cluster,
): Promise<WatchableNamespaces | undefined> {
  const missing = await findDeniedPermissions(cluster, watchPermissions(undefined), concurrency);
  if (missing.length === 0) return undefined;
  const answer = await cluster.listMetadata("v1", "Namespace", undefined);
  if (!answer.ok)
    throw new UserError([notAllowedProblem(missing, ", and it isn't allowed to list namespaces")]);
  const names = answer.value.items.map((each) => textAt(each, "metadata", "name") ?? "");
  const denied = await findDeniedPermissions(cluster, names.flatMap(watchPermissions), concurrency);
  const skipped = [...new Set(denied.flatMap(({ namespace }) => namespace ?? []))];
  const watched = names.filter((name) => !skipped.includes(name));
  if (watched.length === 0)
    throw new UserError([notAllowedProblem(missing, " or in any single namespace")]);
  return { watched, skipped };
}

function watchPermissions(namespace: string | undefined): readonly Permission[] {
  const secrets = { namespace, group: "", resource: "secrets", name: undefined };
  return ["list", "watch"].map((verb) => ({ ...secrets, verb }));
}

function notAllowedProblem(missing: readonly Permission[], addition: string): Problem {
  const verbs = missing.map(({ verb }) => verb).join(" and ");
  return {
    code: "missing-permission",
    where: [],
    what: "qvs can't watch the releases",
    why: `This identity isn't allowed to ${verbs} secrets in all namespaces${addition}`,
    fix: "Name the namespaces with --namespaces",
    otherwise: [
      "allow list and watch on secrets in all namespaces: qvs reconcile --print-install prints the roles",
    ],
  };
}
