import { loadCurrentRelease } from "../deploying/load-release.ts";
import { listRecorded } from "../deploying/queries/list-recorded.ts";
import type { RoleDocument } from "../model/cluster/role-document.ts";
import type { Deployment } from "../model/deployments/deployment.ts";
import type { InventoryEntry } from "../model/deployments/release.ts";
import type { KubeObject } from "../model/object.ts";
import { UserError } from "../model/problems/errors.ts";
import type { ServedKind } from "../planning/permissions/api-resources.ts";
import { requiredPermissions } from "../planning/permissions/required-permissions.ts";
import { buildRoles } from "../planning/permissions/roles.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { World } from "../ports/world.ts";
import { liveInventory } from "../releases/inventory.ts";
import { readReleases } from "../releases/store.ts";
import { controllerManifests } from "../report/controller-manifests.ts";

export interface InstallOptions {
  /** The context of the kubeconfig. */
  readonly context: string | undefined;
  /** The namespaces of the releases; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** The only deployment to correct; undefined for all. */
  readonly deployment: string | undefined;
  readonly group: { readonly namespace: string; readonly name: string };
  readonly image: string;
  /** The arguments of qvs. */
  readonly args: readonly string[];
}

/**
 * Returns the manifests of the controller, with the smallest roles for the currently recorded
 * deployments (docs/operate/correct-drift.md#install). Throws a UserError if one of them has no
 * current release.
 */
export async function installController(
  world: World,
  options: InstallOptions,
): Promise<readonly RoleDocument[]> {
  const { context, namespaces, group, image, args } = options;
  const nowhere = { config: "", params: [], environment: undefined, dependsOn: [], context };
  const target = await world.target({ ...nowhere, name: "", namespace: group.namespace });
  const places = namespaces ?? [undefined];
  const found = await Promise.all(places.map((place) => listRecorded(target.cluster, place)));
  const chosen = found
    .flatMap(({ deployments }) => deployments)
    .filter(({ name }) => options.deployment === undefined || name === options.deployment)
    .map(({ name, namespace }): Deployment => ({ ...nowhere, name, namespace }));
  const each = [];
  for (const deployment of chosen) {
    each.push(await deploymentRoles(world, target.cluster, deployment, group));
  }
  const roles = [
    ...ownRoles(
      options,
      each.flatMap(({ kinds }) => kinds),
    ),
    ...each.flatMap(({ documents }) => documents),
  ];
  return controllerManifests({ image, args, roles, ...group });
}

async function deploymentRoles(
  world: World,
  cluster: Cluster,
  deployment: Deployment,
  group: InstallOptions["group"],
): Promise<{ readonly documents: readonly RoleDocument[]; readonly kinds: readonly ServedKind[] }> {
  const target = await world.target(deployment);
  const { manifests, input } = await loadCurrentRelease(world, target, deployment);
  const read = await readReleases(cluster, deployment, world);
  if (!read.ok) throw new UserError(read.problems);
  const inventory = liveInventory(read.value);
  const kinds = await servedKinds(cluster, inventory);
  const recorded = inventory.map(({ id }) => id);
  const { health } = input;
  const request = { command: "reconcile", deployment, manifests, recorded, health } as const;
  const rights = requiredPermissions({ ...request, served: kinds, byKind: true });
  if (!rights.ok) throw new UserError(rights.problems);
  const subject = { type: "serviceaccount", ...group } as const;
  const roles = { command: "reconcile", deployment, subject, rights: rights.value.rights } as const;
  return { documents: buildRoles(roles), kinds };
}

async function servedKinds(
  cluster: Cluster,
  inventory: readonly InventoryEntry[],
): Promise<readonly ServedKind[]> {
  const requested = new Map(
    inventory.map(({ apiVersion, id: { kind } }) => [
      `${apiVersion} ${kind}`,
      { apiVersion, kind },
    ]),
  );
  const answers = await Promise.all(
    [...requested.values()].map(({ apiVersion, kind }) => cluster.kind(apiVersion, kind)),
  );
  return answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
}

/**
 * Returns the roles for the controller itself: to find the other replicas, and to notice new and
 * deleted deployments.
 */
function ownRoles(
  { namespaces, group }: InstallOptions,
  kinds: readonly ServedKind[],
): readonly RoleDocument[] {
  const leases = {
    rule: rule("coordination.k8s.io", ["leases"], ["create", "delete", "get", "list", "update"]),
    why: "Shares the work between the replicas, with one Lease for each.",
  };
  const releases = {
    rule: rule("", ["secrets"], ["list", "watch"]),
    why: "Finds the deployments, and notices new releases. Reads only metadata.",
  };
  const own = roleAndBinding(
    group,
    group.namespace,
    "Permissions to share the work between the replicas.",
    [leases],
  );
  if (namespaces !== undefined) {
    const about = "Permissions to find the deployments.";
    return [
      ...own,
      ...namespaces.flatMap((place) =>
        roleAndBinding(group, place, about, [releases], "-releases"),
      ),
    ];
  }
  const watched = watchRules(kinds);
  const about = "Permissions to find the deployments and their changes, in all namespaces.";
  return [...own, ...roleAndBinding(group, undefined, about, [releases, ...watched])];
}

/** Returns rules for one watch per kind in all namespaces. */
function watchRules(kinds: readonly ServedKind[]) {
  const groups = Map.groupBy(kinds, ({ group }) => group);
  return [...groups.keys()].toSorted().map((name) => {
    const resources = [...new Set((groups.get(name) ?? []).map(({ plural }) => plural))].toSorted();
    const why = "Notices changes of objects. Reads only metadata.";
    return { rule: rule(name, resources, ["list", "watch"]), why };
  });
}

function rule(group: string, resources: readonly string[], verbs: readonly string[]) {
  return { apiGroups: [group], resources, verbs };
}

const apiGroup = "rbac.authorization.k8s.io";

function roleAndBinding(
  group: InstallOptions["group"],
  namespace: string | undefined,
  about: string,
  rules: readonly { readonly rule: ReturnType<typeof rule>; readonly why: string }[],
  suffix = "",
): readonly RoleDocument[] {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const name =
    namespace === undefined ? `${group.name}.${group.namespace}` : `${group.name}${suffix}`;
  const metadata = namespace === undefined ? { name } : { name, namespace };
  const common = { apiVersion: `${apiGroup}/v1`, metadata };
  const role: KubeObject = { ...common, kind, rules: rules.map((each) => each.rule) };
  const binding: KubeObject = {
    ...common,
    kind: `${kind}Binding`,
    roleRef: { apiGroup, kind, name },
    subjects: [{ kind: "ServiceAccount", ...group }],
  };
  return [
    { object: role, about, rules: rules.map((each) => ({ ...each, without: undefined })) },
    { object: binding, about: "", rules: [] },
  ];
}
