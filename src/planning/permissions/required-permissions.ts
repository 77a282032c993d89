import type { Manifest } from "../../model/compilation.ts";
import type { Deployment } from "../../model/deployment.ts";
import { groupOf, type ObjectId } from "../../model/object.ts";
import { ok, type Result } from "../../model/problems/problem.ts";
import { declareObjects } from "../../plan/declared/declare-objects.ts";
import { undeclaredDependencies } from "../../plan/order/explicit-edges.ts";
import { keepEveryNull } from "../../schema/nulls.ts";
import { resourceFinder, type ServedKind } from "./api-resources.ts";
import { commandPermissions } from "./command-permissions.ts";
import type { CommandPermission, PermissionCommand } from "./permission.ts";

/** The inputs that decide the permissions of a deployment. */
export interface PermissionRequest {
  readonly command: PermissionCommand;
  readonly deployment: Pick<Deployment, "name" | "namespace">;
  readonly manifests: readonly Manifest[];
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

/** Returns the permissions that a command needs for the deployment of these manifests. */
export function requiredPermissions(request: PermissionRequest): Result<RequiredPermissions> {
  const { command, deployment, manifests, recorded, served, byKind } = request;
  const findResource = resourceFinder(manifests, served);
  const declared = declareObjects(manifests, {
    deployment: deployment.name,
    namespace: deployment.namespace,
    isNamespaced: (apiVersion, kind) => findResource(groupOf(apiVersion), kind).namespaced,
    // The permissions depend on the nulls in the manifests, so all of them stay.
    findNullRules: () => keepEveryNull,
  });
  if (!declared.ok) return declared;
  const objects = [
    ...declared.value.map(({ id, object }) => ({ id, object })),
    ...recorded.map((id) => ({ id, object: undefined })),
  ];
  const outside = undeclaredDependencies(declared.value);
  const permissions = commandPermissions(command, {
    deployment,
    objects,
    outside,
    findResource,
    byKind,
  });
  const assumed = objects.flatMap(({ id: { group, kind } }) => {
    const { plural, guessed: isAssumed } = findResource(group, kind);
    return isAssumed ? [`${plural}.${group}`] : [];
  });
  return ok({ rights: permissions, assumed: [...new Set(assumed)].toSorted() });
}
