import { isPolledKind } from "../../apply/readiness/watches.ts";
import { createHealthEvaluator, type HealthEvaluator } from "../../health/evaluator.ts";
import {
  findMissingPermission,
  type MissingPermission,
} from "../../model/cluster/api/messages/denials.ts";
import type { PlanningRequest } from "../../model/deployments/deploy-request.ts";
import type { HealthRule } from "../../model/health-rule.ts";
import { type JsonObject, textAt } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import type { Cluster } from "../../ports/kubernetes.ts";
import { type ServedKind, unknownKinds } from "../permissions/api-resources.ts";
import { requiredCheckPermissions } from "../permissions/deployment-check-permissions.ts";
import {
  findDeniedPermissions,
  permissionProblems,
} from "../permissions/find-denied-permissions.ts";
import { isInitiallyUnready } from "../permissions/granted-permissions.ts";
import type { Permission, PermissionCommand } from "../permissions/permission.ts";
import { ownObjectsReason } from "../permissions/purposes.ts";
import { requiredPermissions } from "../permissions/required-permissions.ts";
import type { PlanningContext } from "../planning-context.ts";
import { type CheckResult, combineChecks } from "./check-result.ts";

interface KindPermissionRequest {
  readonly cluster: Cluster;
  readonly deployment: { readonly name: string; readonly namespace: string };
  readonly command: PermissionCommand;
  readonly request: Pick<PlanningRequest, "limits">;
  /** The health rules of the user. */
  readonly health?: readonly HealthRule[] | undefined;
}

/**
 * Lists the missing permissions for the objects of these manifests, before qvs takes the lock.
 * `isCertain` is true if `list` is missing, because no run can work without it. Only the plan shows
 * which other permissions it needs. The result contains all missing permissions anyway.
 */
export async function missingKindPermissions(
  { cluster, deployment, command, health, request: { limits } }: KindPermissionRequest,
  manifests: readonly Manifest[],
): Promise<{ readonly isCertain: boolean; readonly missing: readonly Permission[] }> {
  const served = await readServedKinds(cluster, manifests);
  const request = { command, deployment, manifests, recorded: [], served, health, byKind: false };
  const found = requiredPermissions(request);
  if (!found.ok) return { isCertain: false, missing: [] };
  const made = createdNamespaces(manifests.map(({ object }) => object));
  const needed = found.value.rights.filter(
    ({ why, without, namespace }) =>
      why === ownObjectsReason && without === undefined && !made.has(namespace),
  );
  const missing = await findDeniedPermissions(cluster, needed, limits.concurrency);
  return { isCertain: missing.some(({ verb }) => verb === "list"), missing };
}

/** Returns a test that reports whether a problem quotes the denial of one of these permissions. */
export function denialTest(rights: readonly Permission[]): (told: Problem) => boolean {
  const known = new Set(rights.map(permissionKey));
  return (told) => {
    const right = quotedDenial(told);
    return right !== undefined && known.has(denialKey(right.verb, right.resource, right.namespace));
  };
}

/** Reads the kinds that only the cluster knows. */
export async function readServedKinds(
  cluster: Cluster,
  manifests: readonly Manifest[],
): Promise<readonly ServedKind[]> {
  const answers = await Promise.all(
    unknownKinds(manifests).map(({ apiVersion, kind }) => cluster.kind(apiVersion, kind)),
  );
  return answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
}

/**
 * Checks all permissions that the plan needs at once; a dry run shows only its own.
 * Leaves out permissions that another problem already reports. A preview's identity needs none of
 * them.
 */
export async function checkPermissions(
  context: Pick<PlanningContext, "cluster" | "deployment" | "purpose" | "request">,
  plan: Plan,
  command: PermissionCommand,
  reported: readonly Problem[],
): Promise<CheckResult> {
  const { cluster, deployment, purpose, request } = context;
  if (purpose === "preview") return combineChecks([]);
  const missing = await findDeniedPermissions(
    cluster,
    [...(await planPermissions(cluster, plan)), ...checkRequests(plan)],
    request.limits.concurrency,
  );
  const known = new Set(
    reported.flatMap((problem) => {
      const right = quotedDenial(problem);
      if (right === undefined) return [];
      // A denied apply of a new object already reports both permissions.
      const verbs = right.verb === "patch" ? ["patch", "create"] : [right.verb];
      return verbs.map((verb) => denialKey(verb, right.resource, right.namespace));
    }),
  );
  const unreported = missing.filter((right) => !known.has(permissionKey(right)));
  return { blockers: permissionProblems(unreported, command, deployment.name), notices: [] };
}

/** Returns the missing permission of a denial that one of the problem's texts quotes. */
function quotedDenial({ what, why = "", facts = [] }: Problem): MissingPermission | undefined {
  const texts = [what, why, ...facts.map(({ value }) => value)];
  return texts.map(findMissingPermission).find((right) => right !== undefined);
}

function permissionKey({ verb, group, resource, namespace }: Permission): string {
  return denialKey(verb, group === "" ? resource : `${resource}.${group}`, namespace);
}

function denialKey(verb: string, resource: string, namespace: string | undefined): string {
  return `${verb} ${resource} ${namespace ?? ""}`;
}

/**
 * Lists the permissions for the operation on each object.
 * Leaves out objects in namespaces that the plan creates, because it might create Roles there, too.
 */
async function planPermissions(cluster: Cluster, plan: Plan): Promise<readonly Permission[]> {
  const made = createdNamespaces(
    plan.changes.filter(({ action }) => action === "create").map(({ desired }) => desired),
  );
  const health = createHealthEvaluator(plan.health);
  const changed = plan.changes.map(({ id, desired, action, hook }) => {
    const verbs = requiredVerbs(action, desired, health);
    const all = hook === undefined ? verbs : [...new Set([...verbs, "get", "delete"])];
    return { id, apiVersion: desired.apiVersion, verbs: all };
  });
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

/** Lists the permissions for the checks. A namespace that the plan creates can get Roles, too. */
function checkRequests(plan: Plan): readonly Permission[] {
  const made = createdNamespaces(
    plan.changes.filter(({ action }) => action === "create").map(({ desired }) => desired),
  );
  if (made.has(plan.namespace)) return [];
  const { deployment: name, namespace, checks = [] } = plan;
  return requiredCheckPermissions({ deployment: { name, namespace }, checks });
}

function requiredVerbs(
  action: Plan["changes"][number]["action"],
  object: KubeObject,
  health: HealthEvaluator,
): readonly string[] {
  const verbs = { unchanged: [], create: [], update: ["get"], replace: ["get", "delete"] }[action];
  if (action === "unchanged") return verbs;
  const creates = action === "update" ? [] : ["create"];
  return [
    ...verbs,
    ...creates,
    "patch",
    ...(isInitiallyUnready({ object }, health) && !isPolledKind(object) ? ["watch"] : []),
  ];
}

function createdNamespaces(objects: readonly JsonObject[]): ReadonlySet<string | undefined> {
  const namespaces = objects.filter(
    ({ apiVersion, kind }) => apiVersion === "v1" && kind === "Namespace",
  );
  return new Set(namespaces.flatMap((object) => textAt(object, "metadata", "name") ?? []));
}
