import { expect, test } from "vitest";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { greet, type Shop, shopIn } from "../../support/shop/shop-in.ts";

/**
 * Tests that the Role in the documentation of version 0.1.0 is still sufficient, and that each part
 * of it is needed.
 */
const cluster = useCluster();

const role = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: qvs-deploy}
rules:
  # The lock, and the records of releases. With "delete" for leases, too, qvs delete leaves no empty lock behind.
  - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}
  - {apiGroups: [""], resources: [secrets], verbs: [get, list, create, update, delete]}
  # Whether deployments are frozen.
  - {apiGroups: [""], resources: [configmaps], resourceNames: [qvs-freeze], verbs: [get]}
  # What still uses a ConfigMap, Secret or claim, which keeps it from being deleted, and why a rollout fails.
  - {apiGroups: [""], resources: [pods, events], verbs: [list]}
  - {apiGroups: [apps], resources: [deployments, replicasets, statefulsets, daemonsets], verbs: [list]}
  - {apiGroups: [batch], resources: [jobs, cronjobs], verbs: [list]}
  - {apiGroups: [argoproj.io], resources: [rollouts], verbs: [list]}
`;

/** The rest of the Role, for the kinds of the shop. */
const kinds = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: kinds}
rules:
  - apiGroups: ["", apps, external-secrets.io]
    resources: [configmaps, services, deployments, externalsecrets]
    verbs: [get, list, watch, create, patch, delete]
`;

const binding = (name: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name}}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: deployer}]
`;

async function allow({ namespace }: Shop, own: string): Promise<void> {
  await cluster.apply(
    namespace,
    [own, kinds, binding("qvs-deploy"), binding("kinds")].join("\n---\n"),
  );
}

test("the documented Role allows deployments and a rollback", async () => {
  const shop = await shopIn(cluster);
  await allow(shop, role);
  const first = await shop.qvsAs("deployer", "deploy");
  expect(first.code, first.stderr).toBe(0);
  const again = await shop.qvsAs("deployer", "deploy");
  expect(again.stdout, again.stderr).toBe("shop-staging release 1 unchanged\n");
  greet(shop, "Welcome to the shop", "Welcome back");
  expect((await shop.qvsAs("deployer", "deploy")).code).toBe(0);
  const back = await shop.qvsAs("deployer", "rollback", "--to", "previous");
  expect(back.stdout, back.stderr).toBe(
    "shop-staging release 3 succeeded (rollback to release 1)\n",
  );
});

test("all missing permissions are reported together before qvs takes the lock", async () => {
  const shop = await shopIn(cluster);
  await allow(shop, role.replace("[get, create, update]", "[get]").replace(", update, delete", ""));
  const { code, stderr } = await shop.qvsAs("deployer", "deploy");
  expect(code).toBe(1);
  expect(stderr).toContain('cannot create resource "leases"');
  expect(stderr).toContain(
    `Allow create, update on leases.coordination.k8s.io in namespace ${shop.namespace}`,
  );
  expect(stderr).toContain('cannot update resource "secrets"');
  expect(stderr).toContain(`Allow update, delete on secrets in namespace ${shop.namespace}`);
  expect(stderr).toContain("2 errors. Nothing was changed.");
  expect(await shop.names("leases")).toEqual([]);
});

test("the documented Role is sufficient to read a freeze", async () => {
  const shop = await shopIn(cluster);
  await cluster.apply(shop.namespace, [role, binding("qvs-deploy")].join("\n---\n"));
  const asked = await cluster
    .kubectlAs("deployer", "get", "configmap", "qvs-freeze", "-n", shop.namespace)
    .catch(String);
  expect(asked).toContain('configmaps "qvs-freeze" not found');
});
