import { expect, test } from "vitest";
import { useCluster } from "./support/cluster.ts";
import { greet, type Shop, shopIn } from "./support/shop-in.ts";

/** Users who may not do what a command needs: what they are told, and that nothing has changed. */
const cluster = useCluster();

/** Binds a role to `deployer`, in the namespace of the shop only. */
async function allow(shop: Shop, rules: string): Promise<void> {
  await cluster.apply(
    shop.namespace,
    `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: deployer}
rules:
${rules}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: deployer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: deployer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: deployer}]
`,
  );
}

const lock = `- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update]}`;
const records = `- {apiGroups: [""], resources: [secrets], verbs: [list, create, update, delete]}`;
const recordsWithoutEnd = `- {apiGroups: [""], resources: [secrets], verbs: [list, create]}`;
const reading = `- {apiGroups: ["", apps, external-secrets.io], resources: [configmaps, services, deployments, externalsecrets, pods, events], verbs: [get, list, watch]}
- {apiGroups: [apps, batch], resources: [replicasets, statefulsets, daemonsets, jobs, cronjobs], verbs: [get, list, watch]}
- {apiGroups: [argoproj.io], resources: [rollouts], verbs: [list]}`;
const writing = `- {apiGroups: ["", apps, external-secrets.io], resources: [configmaps, services, deployments, externalsecrets], verbs: [create, patch, delete]}`;

test("who may do nothing is told about the first thing that is missing", async () => {
  const shop = await shopIn(cluster);
  const { code, stdout, stderr } = await shop.qvsAs("nobody", "deploy");
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `\
Deployment "shop-staging" cannot be locked: leases.coordination.k8s.io "qvs-shop-staging" is forbidden: User "nobody" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "${shop.namespace}"
  → Allow get, create and update of leases.coordination.k8s.io in namespace ${shop.namespace}

Nothing was changed.
`,
  });
});

test("who may not read the records cannot compare", async () => {
  const shop = await shopIn(cluster);
  const { code, stdout, stderr } = await shop.qvsAs("viewer", "diff");
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `\
Cannot read the releases of shop-staging in namespace ${shop.namespace} at ${cluster.server}: secrets is forbidden: User "viewer" cannot list resource "secrets" in API group "" in the namespace "${shop.namespace}"
  → Have an administrator grant what is missing, or use a context whose user may do this

Nothing was changed.
`,
  });
});

test("who may not write some of it is told before anything is changed", async () => {
  const shop = await shopIn(cluster);
  await allow(shop, [lock, records, reading, writing.replace("services, ", "")].join("\n"));
  const { code, stdout, stderr } = await shop.qvsAs("deployer", "deploy");
  // Of Services that are plain and new, one is asked about and stands for all.
  const refusal = (name: string) => `\
adapters/web/main.cue:45:23: Service ${shop.namespace}/${name}: services "${name}" is forbidden: User "deployer" cannot patch resource "services" in API group "" in the namespace "${shop.namespace}"
  → Allow create and patch on Service of v1 in namespace ${shop.namespace} to this identity, or correct what admission refuses
`;
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `${refusal("shop")}\nNothing was changed.\n`,
  });
  expect(await cluster.auditWrites(shop.namespace, "deployer")).toEqual([
    `create Lease ${shop.namespace}/qvs-shop-staging`,
    `update Lease ${shop.namespace}/qvs-shop-staging`,
  ]);
});

test("who may not delete what has to go is told before anything is changed", async () => {
  const shop = await shopIn(cluster);
  const rules = [lock, records, reading, writing].join("\n");
  await allow(shop, rules);
  expect((await shop.qvsAs("deployer", "deploy")).code).toBe(0);
  const before = await shop.names("configmaps");

  await allow(shop, rules.replace("[create, patch, delete]", "[create, patch]"));
  greet(shop, "Welcome to the shop", "Welcome back");
  const { code, stdout, stderr } = await shop.qvsAs("deployer", "deploy");
  const old = before.find((name) => name.startsWith("shop-settings-"));
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `\
ConfigMap ${shop.namespace}/${old} would be deleted: configmaps "${old}" is forbidden: User "deployer" cannot delete resource "configmaps" in API group "" in the namespace "${shop.namespace}"
  → Allow delete on ConfigMap of v1 in namespace ${shop.namespace} to this identity, correct what admission refuses, or declare it again

Nothing was changed.
`,
  });
  expect(await shop.names("configmaps")).toEqual(before);
});

test("a release whose end cannot be recorded is a failure, with what was changed", async () => {
  const shop = await shopIn(cluster);
  await allow(shop, [lock, recordsWithoutEnd, reading, writing].join("\n"));
  const { code, stdout, stderr } = await shop.qvsAs("deployer", "deploy");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "shop-staging release 1 pending\n" });
  expect(stderr).toContain("Record of release 1 failed: Cannot record the end of release 1");
  expect(stderr).not.toContain("Nothing was changed");
  expect(await shop.records()).toEqual(["1 pending"]);

  await allow(shop, [lock, records, reading, writing].join("\n"));
  greet(shop, "Welcome to the shop", "Welcome back");
  expect((await shop.qvsAs("deployer", "deploy")).code).toBe(0);
  expect(await shop.names("configmaps")).toEqual(["kube-root-ca.crt", "shop-settings-5d51df72b0"]);
});
