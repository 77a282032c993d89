import { chartCapabilities, openOnce } from "../deploying/chart-capabilities.ts";
import { compileDesiredState } from "../deploying/compile-desired-state.ts";
import type { RoleDocument } from "../model/cluster/role-document.ts";
import type { Deployment, EnvironmentDeployment } from "../model/deployment.ts";
import type { ObjectId } from "../model/object.ts";
import { UserError } from "../model/problems/errors.ts";
import type { Problem } from "../model/problems/problem.ts";
import { readServedKinds } from "../planning/checks/check-permissions.ts";
import { hookManifests } from "../planning/deletion-hooks.ts";
import { environmentPermissions } from "../planning/permissions/environment-permissions.ts";
import type { RoleCommand } from "../planning/permissions/permission.ts";
import { requiredPermissions } from "../planning/permissions/required-permissions.ts";
import { buildRoles, type RoleSubject } from "../planning/permissions/roles.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { World } from "../ports/world.ts";
import { liveInventory } from "../releases/inventory.ts";
import { readReleases } from "../releases/store.ts";

export interface RbacOptions {
  readonly inline: readonly string[];
  readonly command: RoleCommand;
  readonly subject: RoleSubject;
  /** True for permissions to all objects of a kind, not only to named ones. */
  readonly byKind: boolean;
  /** True to read the served kinds and the recorded releases from the cluster. */
  readonly askCluster: boolean;
}

export interface RbacOutput {
  readonly documents: readonly RoleDocument[];
  /** The resources that qvs guessed from the kind, such as `widgets.example.com`. */
  readonly assumed: readonly string[];
  /** The notices about charts that ask the cluster, which can add objects to the deployment. */
  readonly notices: readonly Problem[];
}

/**
 * Returns the smallest roles that a command needs for a deployment (docs/integrate/permissions.md).
 * Throws a UserError with all errors.
 */
export async function rbac(
  world: World,
  deployment: Deployment,
  { inline, command, subject, byKind, askCluster }: RbacOptions,
): Promise<RbacOutput> {
  const open = openOnce(world, deployment);
  const capabilities = askCluster ? chartCapabilities(world, deployment, open) : undefined;
  const desired = await compileDesiredState(world, deployment, inline, capabilities);
  const { manifests, checks, input, warnings = [] } = desired;
  const hooks = hookManifests(desired.deletionHooks ?? []);
  const cluster = askCluster ? (await open()).cluster : undefined;
  const recorded = cluster === undefined ? [] : await recordedObjects(world, cluster, deployment);
  const served =
    cluster === undefined ? [] : await readServedKinds(cluster, [...manifests, ...hooks]);
  const request = { deployment, manifests, hooks, checks, recorded, served, health: input.health };
  const found =
    command === "environments"
      ? environmentPermissions(request, requireEnvironment(deployment))
      : requiredPermissions({ ...request, command, byKind });
  if (!found.ok) throw new UserError(found.problems);
  const { rights, assumed } = found.value;
  const { entry: name = deployment.name } = deployment.environmentOf?.recorded ?? {};
  const named = { name, namespace: deployment.namespace };
  const notices = warnings.filter(({ code }) => code === "capabilities-assumed");
  return {
    documents: buildRoles({ command, deployment: named, subject, rights }),
    ...{ assumed, notices },
  };
}

function requireEnvironment({ environmentOf }: Deployment): EnvironmentDeployment {
  if (environmentOf === undefined) throw new Error("the deployment is no environment");
  return environmentOf;
}

/** Returns the objects of earlier releases, which a run must be able to list and delete. */
async function recordedObjects(
  world: World,
  cluster: Cluster,
  deployment: Deployment,
): Promise<readonly ObjectId[]> {
  const read = await readReleases(cluster, deployment, world);
  if (!read.ok) throw new UserError(read.problems);
  return liveInventory(read.value).map(({ id }) => id);
}
