import { createHealthEvaluator } from "../../health/evaluator.ts";
import type { Deployment } from "../../model/deployments/deployment.ts";
import type { DeploymentCheck } from "../../model/deployments/deployment-checks.ts";
import type { HealthRule } from "../../model/health-rule.ts";
import { groupOf, type ObjectId } from "../../model/object.ts";
import { ok, type Result } from "../../model/problems/problem.ts";
import type { Manifest } from "../../model/sources/compilation.ts";
import { declareObjects } from "../../plan/declared/declare-objects.ts";
import type { Placement } from "../../plan/declared/normalize.ts";
import { undeclaredDependencies } from "../../plan/order/explicit-edges.ts";
import { keepEveryNull } from "../../validation/nulls.ts";
import type { DesiredState } from "../desired-state.ts";
import type { PlanningContext } from "../planning-context.ts";
import { resourceFinder, type ServedKind } from "./api-resources.ts";
import type { DeploymentObject, PermissionInput } from "./granted-permissions.ts";
import type { CommandPermission, Permission, PermissionCommand } from "./permission.ts";
import { purposes } from "./purposes.ts";

/** Returns the command that needs the plan. */
export function plannedCommand(
  { purpose }: PlanningContext,
  { rollbackOf, deletes, corrects }: DesiredState,
): PermissionCommand {
  if (corrects !== undefined) return purpose === "preview" ? "drift" : "reconcile";
  if (purpose === "preview") return purpose;
  if (deletes !== undefined) return "delete";
  return rollbackOf === undefined ? "deploy" : "rollback";
}

/** The inputs that decide the permissions of a deployment. */
export interface PermissionRequest {
  readonly command: PermissionCommand;
  readonly deployment: Pick<Deployment, "name" | "namespace" | "environmentOf">;
  readonly manifests: readonly Manifest[];
  /** The hooks that a deletion runs; missing if there are none. */
  readonly hooks?: readonly Manifest[] | undefined;
  /** The checks of the config; missing if there are none. */
  readonly checks?: readonly DeploymentCheck[] | undefined;
  /** The health rules of the user, because of which qvs waits for more kinds. */
  readonly health?: readonly HealthRule[] | undefined;
  /** Objects of earlier releases, which the command reads and deletes. */
  readonly recorded: readonly ObjectId[];
  /** Kinds that a cluster serves; empty if qvs asked no cluster. */
  readonly served: readonly ServedKind[];
  readonly byKind: boolean;
}

export interface RequiredPermissions {
  readonly rights: readonly CommandPermission[];
  /** Resources with guessed names, such as `widgets.example.com`, sorted. */
  readonly assumed: readonly string[];
}

/** The commands that plan the hooks of a deletion. */
const hookCommands: ReadonlySet<PermissionCommand> = new Set(["preview", "delete"]);

/** Returns the permissions that a command needs for the deployment of these manifests. */
export function requiredPermissions(request: PermissionRequest): Result<RequiredPermissions> {
  const { command, deployment, manifests, checks = [], recorded, served, health, byKind } = request;
  const hooks = hookCommands.has(command) ? (request.hooks ?? []) : [];
  const findResource = resourceFinder([...manifests, ...hooks], served);
  const placement: Placement = {
    deployment: deployment.name,
    namespace: deployment.namespace,
    onlyNamespace: deployment.environmentOf?.recorded.namespace,
    isNamespaced: (apiVersion, kind) => findResource(groupOf(apiVersion), kind).namespaced,
    // The permissions depend on the nulls in the manifests, so all of them stay.
    findNullRules: () => keepEveryNull,
  };
  // A hook can have the name of an object of the deployment, which it then replaces.
  const declared = declareObjects(manifests, placement);
  const run = declareObjects(hooks, placement);
  if (!declared.ok) return declared;
  if (!run.ok) return run;
  const objects: readonly DeploymentObject[] = [
    ...declared.value.map(({ id, object }) => ({ id, object })),
    ...run.value.map(({ id, object }) => ({ id, object, isHook: true as const })),
    ...recorded.map((id) => ({ id, object: undefined })),
  ];
  const outside = undeclaredDependencies(declared.value);
  const permissions = commandPermissions(command, {
    deployment,
    objects,
    outside,
    checks,
    findResource,
    health: createHealthEvaluator(health),
    byKind,
  });
  const assumed = objects.flatMap(({ id: { group, kind } }) => {
    const { plural, guessed: isAssumed } = findResource(group, kind);
    return isAssumed ? [`${plural}.${group}`] : [];
  });
  return ok({ rights: permissions, assumed: [...new Set(assumed)].toSorted() });
}

/**
 * Returns the permissions that a command needs for this deployment, in the order of `purposes`,
 * without duplicates.
 */
function commandPermissions(
  command: PermissionCommand,
  subject: PermissionInput,
): readonly CommandPermission[] {
  const permissions = purposes.flatMap(
    ({ why, requiredBy, optional, permissions: of }): CommandPermission[] => {
      const without = optional?.for.includes(command) ? optional.without : undefined;
      if (!requiredBy.includes(command) && without === undefined) return [];
      const purpose = without === undefined ? why : (optional?.why ?? why);
      return of(subject).map((right) => ({ ...right, why: purpose, without }));
    },
  );
  return removeCovered(permissions);
}

/** Removes the permissions that another one includes; required ones win over optional ones. */
export function removeCovered(rights: readonly CommandPermission[]): readonly CommandPermission[] {
  const needed = new Set(rights.filter(({ without }) => without === undefined).map(permissionKey));
  const every = new Set(rights.map(permissionKey));
  const seen = new Set<string>();
  return rights.filter((right) => {
    const key = permissionKey(right);
    const given = right.without === undefined ? needed : every;
    const isBroader = broaderPermissions(right).some((other) => given.has(permissionKey(other)));
    const isSame = seen.has(key) || (right.without !== undefined && needed.has(key));
    if (isBroader || isSame) return false;
    seen.add(key);
    return true;
  });
}

/** Returns the permissions that include this one. */
function broaderPermissions(right: Permission): readonly Permission[] {
  const { namespace, name } = right;
  return [
    ...(name === undefined ? [] : [{ ...right, name: undefined }]),
    ...(namespace === undefined ? [] : [{ ...right, namespace: undefined }]),
    ...(name === undefined || namespace === undefined
      ? []
      : [{ ...right, name: undefined, namespace: undefined }]),
  ];
}

function permissionKey({ namespace, group, resource, verb, name }: Permission): string {
  return JSON.stringify([namespace ?? null, group, resource, verb, name ?? null]);
}
