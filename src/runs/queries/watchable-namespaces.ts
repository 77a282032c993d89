import { textAt } from "../../model/json.ts";
import { UserError } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { missingAmong } from "../../planning/rights/ask-rights.ts";
import type { Right } from "../../planning/rights/right.ts";
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
  const missing = await missingAmong(cluster, toWatch(undefined), concurrency);
  if (missing.length === 0) return undefined;
  const answer = await cluster.listMetadata("v1", "Namespace", undefined);
  if (!answer.ok) throw new UserError([notAllowed(missing, "and may not list namespaces either")]);
  const names = answer.value.items.map((each) => textAt(each, "metadata", "name") ?? "");
  const denied = await missingAmong(cluster, names.flatMap(toWatch), concurrency);
  const skipped = [...new Set(denied.flatMap(({ namespace }) => namespace ?? []))];
  const watched = names.filter((name) => !skipped.includes(name));
  if (watched.length === 0) throw new UserError([notAllowed(missing, "nor in any other one")]);
  return { watched, skipped };
}

function toWatch(namespace: string | undefined): readonly Right[] {
  const secrets = { namespace, group: "", resource: "secrets", name: undefined };
  return ["list", "watch"].map((verb) => ({ ...secrets, verb }));
}

function notAllowed(missing: readonly Right[], besides: string): Problem {
  const verbs = missing.map(({ verb }) => verb).join(" and ");
  return {
    code: "missing-permission",
    where: [],
    what: `Cannot watch the releases: this identity may not ${verbs} secrets in all namespaces, ${besides}`,
    fix: "Name the namespaces with --namespaces, or allow list and watch on secrets in all namespaces; `qvs reconcile --print-install` prints the roles",
  };
}
