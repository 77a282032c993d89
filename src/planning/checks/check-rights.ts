import { isUnwatched } from "../../apply/readiness/watches.ts";
import {
  findMissingPermission,
  type MissingPermission,
} from "../../model/cluster/api-messages/permissions.ts";
import type { Manifest } from "../../model/compilation.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import type { PlanningContext } from "../planning-context.ts";
import { kindsToAsk, type ServedKind } from "../rights/api-resources.ts";
import { missingAmong } from "../rights/ask-rights.ts";
import { isAwaited } from "../rights/awaited.ts";
import { ownObjects } from "../rights/purposes.ts";
import type { Right, RightsCommand } from "../rights/right.ts";
import { rightsFor } from "../rights/rights-for.ts";
import { rightsProblems } from "../rights/rights-problem.ts";
import { type Checked, together } from "./checked.ts";

interface Asked {
  readonly cluster: Cluster;
  readonly deployment: { readonly name: string; readonly namespace: string };
  readonly command: RightsCommand;
  readonly concurrency: number;
}

/**
 * Lists the missing permissions for the objects of these manifests, before qvs takes the lock.
 * `isCertain` is true if `list` is missing, because no run can work without it. Only the plan shows
 * which other permissions it needs. The result contains all missing permissions anyway.
 */
export async function missingKindRights(
  { cluster, deployment, command, concurrency }: Asked,
  manifests: readonly Manifest[],
): Promise<{ readonly isCertain: boolean; readonly missing: readonly Right[] }> {
  const served = await servedKinds(cluster, manifests);
  const request = { command, deployment, manifests, recorded: [], served, byKind: false };
  const found = rightsFor(request);
  if (!found.ok) return { isCertain: false, missing: [] };
  const made = namespacesMade(manifests.map(({ object }) => object));
  const needed = found.value.rights.filter(
    ({ why, without, namespace }) =>
      why === ownObjects && without === undefined && !made.has(namespace),
  );
  const missing = await missingAmong(cluster, needed, concurrency);
  return { isCertain: missing.some(({ verb }) => verb === "list"), missing };
}

/** Returns a test that reports whether a problem quotes the denial of one of these permissions. */
export function isRefusalOf(rights: readonly Right[]): (told: Problem) => boolean {
  const known = new Set(rights.map(rightKey));
  return (told) => {
    const right = quotedDenial(told);
    return right !== undefined && known.has(keyOf(right.verb, right.resource, right.namespace));
  };
}

/** Reads the kinds that only the cluster knows. */
export async function servedKinds(
  cluster: Cluster,
  manifests: readonly Manifest[],
): Promise<readonly ServedKind[]> {
  const answers = await Promise.all(
    kindsToAsk(manifests).map(({ apiVersion, kind }) => cluster.kind(apiVersion, kind)),
  );
  return answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
}

/**
 * Checks all permissions that the plan needs at once; a dry run shows only its own.
 * Leaves out permissions that another problem already reports. A preview's identity needs none of
 * them.
 */
export async function checkRights(
  context: Pick<PlanningContext, "cluster" | "deployment" | "purpose" | "concurrency">,
  plan: Plan,
  command: RightsCommand,
  told: readonly Problem[],
): Promise<Checked> {
  const { cluster, deployment, purpose, concurrency } = context;
  if (purpose === "preview") return together([]);
  const missing = await missingAmong(cluster, await rightsOfPlan(cluster, plan), concurrency);
  const known = new Set(
    told.flatMap((problem) => {
      const right = quotedDenial(problem);
      if (right === undefined) return [];
      // A denied apply of a new object already reports both permissions.
      const verbs = right.verb === "patch" ? ["patch", "create"] : [right.verb];
      return verbs.map((verb) => keyOf(verb, right.resource, right.namespace));
    }),
  );
  const untold = missing.filter((right) => !known.has(rightKey(right)));
  return { blockers: rightsProblems(untold, command, deployment.name), notices: [] };
}

/** Returns the missing permission of a denial that one of the problem's texts quotes. */
function quotedDenial({ what, why = "", facts = [] }: Problem): MissingPermission | undefined {
  const texts = [what, why, ...facts.map(({ value }) => value)];
  return texts.map(findMissingPermission).find((right) => right !== undefined);
}

function rightKey({ verb, group, resource, namespace }: Right): string {
  return keyOf(verb, group === "" ? resource : `${resource}.${group}`, namespace);
}

function keyOf(verb: string, resource: string, namespace: string | undefined): string {
  return `${verb} ${resource} ${namespace ?? ""}`;
}

/**
 * Lists the permissions for the operation on each object.
 * Leaves out objects in namespaces that the plan creates, because it might create Roles there, too.
 */
async function rightsOfPlan(cluster: Cluster, plan: Plan): Promise<readonly Right[]> {
  const made = namespacesMade(
    plan.changes.filter(({ action }) => action === "create").map(({ desired }) => desired),
  );
  const changed = plan.changes.map(({ id, desired, action }) => ({
    ...{ id, apiVersion: desired.apiVersion, verbs: verbsOf(action, desired) },
  }));
  const deleted = plan.deletions.map(({ id, apiVersion }) => ({
    ...{ id, apiVersion, verbs: ["get", "delete"] },
  }));
  const rights = [...changed, ...deleted].map(async ({ id, apiVersion, verbs }) => {
    const served = await cluster.kind(apiVersion, id.kind);
    if (!served.ok || made.has(id.namespace)) return [];
    const { plural: resource, namespaced } = served.value;
    const place = { namespace: namespaced ? id.namespace : undefined, group: id.group, resource };
    return verbs.map((verb) => ({
      ...{ ...place, verb },
      name: verb === "create" || verb === "watch" ? undefined : id.name,
    }));
  });
  return (await Promise.all(rights)).flat();
}

function verbsOf(action: Plan["changes"][number]["action"], object: KubeObject): readonly string[] {
  const verbs = { unchanged: [], create: [], update: ["get"], replace: ["get", "delete"] }[action];
  if (action === "unchanged") return verbs;
  const creates = action === "update" ? [] : ["create"];
  return [
    ...verbs,
    ...creates,
    "patch",
    ...(isAwaited({ object }) && !isUnwatched(object) ? ["watch"] : []),
  ];
}

function namespacesMade(objects: readonly JsonObject[]): ReadonlySet<string | undefined> {
  const namespaces = objects.filter(
    ({ apiVersion, kind }) => apiVersion === "v1" && kind === "Namespace",
  );
  return new Set(namespaces.flatMap((object) => textAt(object, "metadata", "name") ?? []));
}
