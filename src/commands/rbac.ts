import { chartCapabilities, openOnce } from "../deploying/chart-capabilities.ts";
import { compileDesiredState } from "../deploying/compile-desired-state.ts";
import type { RoleDocument } from "../model/cluster/role-document.ts";
import type { Deployment, EnvironmentDeployment } from "../model/deployments/deployment.ts";
import type { ObjectId } from "../model/object.ts";
import { UserError } from "../model/problems/errors.ts";
import {
  failed,
  ok,
  type Problem,
  type Result,
  resultProblems,
} from "../model/problems/problem.ts";
import { readServedKinds } from "../planning/checks/check-permissions.ts";
import { hookManifests } from "../planning/deletion-hooks.ts";
import type { CommandPermission, RoleCommand } from "../planning/permissions/permission.ts";
import {
  type PermissionRequest,
  type RequiredPermissions,
  removeCovered,
  requiredPermissions,
} from "../planning/permissions/required-permissions.ts";
import { buildRoles, type RoleSubject } from "../planning/permissions/roles.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { World } from "../ports/world.ts";
import { liveInventory } from "../releases/inventory.ts";
import { readReleases } from "../releases/store.ts";

interface RbacOptions {
  readonly inline: readonly string[];
  readonly command: RoleCommand;
  readonly subject: RoleSubject;
  /** True for permissions to all objects of a kind, not only to named ones. */
  readonly byKind: boolean;
  /** True to read the served kinds and the recorded releases from the cluster. */
  readonly askCluster: boolean;
}

interface RbacOutput {
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

/**
 * Returns the permissions for all environments of an entry, from those of one environment.
 * Kubernetes can't limit permissions to namespaces that match a pattern. Therefore, those within an
 * environment are cluster-wide.
 */
function environmentPermissions(
  request: Omit<PermissionRequest, "command" | "byKind">,
  { recorded: { namespace } }: Pick<EnvironmentDeployment, "recorded">,
): Result<RequiredPermissions> {
  // Before a deployment, qvs plans like a preview, to find out whether the environment fits.
  const commands = ["deploy", "delete", "preview"] as const;
  const found = commands.map((command) =>
    requiredPermissions({ ...request, command, byKind: true }),
  );
  const problems = found.flatMap(resultProblems);
  if (problems.length > 0) return failed(problems);
  const all = found.flatMap((each) => (each.ok ? [each.value] : []));
  const { name } = request.deployment;
  const rights = [...all.flatMap((each) => each.rights), listEverything];
  const widened = rights.map((right) => forEveryEnvironment(right, name, namespace));
  const assumed = [...new Set(all.flatMap((each) => each.assumed))].toSorted();
  return ok({ rights: removeCovered(widened), assumed });
}

function forEveryEnvironment(
  right: CommandPermission,
  deployment: string,
  namespace: string,
): CommandPermission {
  const isWithin = right.namespace === namespace;
  const isNamed = right.name === namespace || right.name?.includes(deployment) === true;
  // A pull request chooses the names of its objects. It must not choose the role of a binding.
  const isGranting = grantingVerbs.has(right.verb);
  return {
    ...right,
    namespace: isWithin ? undefined : right.namespace,
    name: (isWithin || isNamed) && !isGranting ? undefined : right.name,
  };
}

/** The verbs that give the permissions of the named object. */
const grantingVerbs: ReadonlySet<string> = new Set(["bind", "escalate", "impersonate"]);

const listEverything: CommandPermission = {
  namespace: undefined,
  group: "*",
  resource: "*",
  verb: "list",
  name: undefined,
  why: "Find the objects of others in a namespace before its deletion. It reads all Secrets, too.",
  without: "Without it, qvs keeps the namespaces of environments.",
};
