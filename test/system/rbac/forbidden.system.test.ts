import { expect, test } from "vitest";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { greet, type Shop, shopIn } from "../../support/shop/shop-in.ts";

/**
 * Tests identities that lack permissions for a command: the errors, and that nothing was changed.
 */
const cluster = useCluster();

/** Binds a role to `deployer`, only in the namespace of the shop. */
async function allow(shop: Pick<Shop, "namespace">, rules: string): Promise<void> {
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
const reading = `- {apiGroups: ["", apps, external-secrets.io], resources: [configmaps, services, deployments, externalsecrets, pods, events], verbs: [get, list, watch]}
- {apiGroups: [apps, batch], resources: [replicasets, statefulsets, daemonsets, jobs, cronjobs], verbs: [get, list, watch]}
- {apiGroups: [argoproj.io], resources: [rollouts], verbs: [list]}`;
const writing = `- {apiGroups: ["", apps, external-secrets.io], resources: [configmaps, services, deployments, externalsecrets], verbs: [create, patch, delete]}`;

test("a user without permissions gets a list of all missing ones", async () => {
  const shop = await shopIn(cluster);
  const { code, stdout, stderr } = await shop.qvsAs("stranger", "deploy");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const roles = "the roles that this command prints: qvs rbac deploy -d shop-staging";
  for (const text of [
    `Allow get, create, update on leases.coordination.k8s.io in namespace ${shop.namespace} to this identity\n  help: or apply ${roles}`,
    `Allow list, create, update, delete on secrets in namespace ${shop.namespace} to this identity\n  help: or apply ${roles}`,
    "this identity isn't allowed to create, delete, get, list, patch configmaps",
    `Apply ${roles}`,
    "Nothing was changed.",
  ]) {
    expect(stderr).toContain(text);
  }
  const rehearsal = await shop.qvsAs("stranger", "deploy", "--dry-run");
  expect(rehearsal).toMatchObject({ code: 1, stderr });
});

test("an identity that isn't allowed to read the records can't compare", async () => {
  const shop = await shopIn(cluster);
  const { code, stdout, stderr } = await shop.qvsAs("viewer", "diff");
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: "",
    stderr: `\
error[missing-permission]: qvs can't read the releases of shop-staging in namespace ${shop.namespace}
  server: ${cluster.server}
  answer: secrets is forbidden: User "viewer" cannot list resource "secrets" in API group "" in the namespace "${shop.namespace}"
  help: Allow list on secrets in namespace ${shop.namespace} to this identity, in a Role that is bound to it there
  help: or apply the roles that this command prints: qvs rbac preview -d shop-staging
`,
  });
});

test("an identity that isn't allowed to read the records gets the roles of drift", async () => {
  const shop = await shopIn(cluster);
  const { code, stdout } = await shop.qvsAs("viewer", "drift");
  expect(code).toBe(1);
  expect(stdout).toContain("qvs can't read the releases of shop-staging");
  expect(stdout).toContain("qvs rbac drift -d shop-staging");
});

test("a missing permission to write is reported before any change", async () => {
  const shop = await shopIn(cluster);
  await allow(shop, [lock, records, reading, writing.replace("services, ", "")].join("\n"));
  const { code, stdout, stderr } = await shop.qvsAs("deployer", "deploy");
  // One Service is asked about for all that are plain and new.
  const refusal = (name: string) => `\
error[missing-permission]: Service ${shop.namespace}/${name}: this identity lacks a permission
  --> adapters/web/main.cue:45:23
  answer: services "${name}" is forbidden: User "deployer" cannot patch resource "services" in API group "" in the namespace "${shop.namespace}"
  help: Allow create and patch on Service of v1 in namespace ${shop.namespace} to this identity
  help: or apply the roles that this command prints: qvs rbac deploy -d shop-staging
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

test.each([
  [
    "to list",
    [lock, records, reading.replace("get, list, watch", "get, watch"), writing],
    /isn't allowed to list configmaps|cannot list resource "configmaps"/g,
  ],
  [
    "to write, next to the one for the lock",
    [records, reading, writing.replace("services, ", "")],
    /services "shop" is forbidden: [^\n]*cannot \w+/g,
  ],
])("a missing permission %s is reported once, whichever check finds it", async (_, rules, told) => {
  const shop = await shopIn(cluster);
  await allow(shop, rules.join("\n"));
  const { code, stderr } = await shop.qvsAs("deployer", "deploy");
  expect(code).toBe(1);
  expect(stderr.match(told), stderr).toHaveLength(1);
  const rehearsal = await shop.qvsAs("deployer", "deploy", "--dry-run");
  // With a plan, the errors are in its order.
  const problems = (text: string) =>
    text
      .split("\n\n")
      .map((each) => each.trim())
      .toSorted();
  expect(problems(rehearsal.stderr)).toEqual(problems(stderr));
});

test("a missing permission to delete is reported before any change", async () => {
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
error[missing-permission]: ConfigMap ${shop.namespace}/${old} can't be deleted
  answer: configmaps "${old}" is forbidden: User "deployer" cannot delete resource "configmaps" in API group "" in the namespace "${shop.namespace}"
  help: Allow delete on ConfigMap of v1 in namespace ${shop.namespace} to this identity
  help: or declare it again
  help: or apply the roles that this command prints: qvs rbac deploy -d shop-staging

Nothing was changed.
`,
  });
  expect(await shop.names("configmaps")).toEqual(before);
});

test("a release whose end can't be recorded is a failure, with a list of changes", async () => {
  const shop = await shopIn(cluster);
  await allow(shop, [lock, records, reading, writing].join("\n"));
  await refuseUpdatesOfRecords(shop);
  const { code, stdout, stderr } = await shop.qvsAs("deployer", "deploy");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "shop-staging release 1 never ended\n" });
  expect(stderr).toContain("Record of release 1: qvs can't record the end of release 1");
  expect(stderr).not.toContain("Nothing was changed");
  expect(await shop.records()).toEqual(["1 pending"]);

  await cluster.kubectl("delete", "validatingadmissionpolicybinding", shop.namespace);
  greet(shop, "Welcome to the shop", "Welcome back");
  const retry = async () => (await shop.qvsAs("deployer", "deploy")).code;
  await expect.poll(retry).toBe(0);
  expect(await shop.names("configmaps")).toEqual(["kube-root-ca.crt", "shop-settings-5d51df72b0"]);
});

/** Creates an admission policy that allows records to be created, but not updated. */
async function refuseUpdatesOfRecords({ namespace }: Shop): Promise<void> {
  const type = "vs.axis-dev.io/release.v1";
  await cluster.apply(
    namespace,
    `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${namespace}}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [secrets]}]}
  validations: [{expression: "object.type != '${type}'", message: records stay as they are}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${namespace}}
spec:
  policyName: ${namespace}
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${namespace}}}}
---
apiVersion: v1
kind: Secret
metadata: {name: probe}
type: ${type}
`,
  );
  const probe = ["label", "secret", "probe", "-n", namespace, "a=b", "--dry-run=server"];
  const said = () => cluster.kubectl(...probe).catch(String);
  await expect.poll(said).toContain("records stay as they are");
}

test("a preview with fewer permissions shows those that the deployment lacks, and still shows everything", async () => {
  const shop = await shopIn(cluster);
  await allow(shop, [lock, records, reading, writing].join("\n"));
  expect((await shop.qvsAs("deployer", "deploy")).code).toBe(0);
  const [old] = (await shop.names("configmaps")).filter((name) => name.startsWith("shop-settings"));
  greet(shop, "Welcome to the shop", "Welcome back");

  const onlyReading = `- {apiGroups: [""], resources: [secrets], verbs: [list]}`;
  const patching = writing.replace("[create, patch, delete]", "[create, patch]");
  await allow(shop, [onlyReading, reading, patching].join("\n"));
  const preview = await shop.qvsAs("deployer", "diff");
  const blocked =
    "A deployment with the permissions of this preview is blocked. The API server answered:";
  expect({ code: preview.code, stderr: preview.stderr }).toEqual({ code: 0, stderr: "" });
  for (const notice of [
    '"shop-staging": this identity isn\'t allowed to take its deployment lock',
    `${blocked} leases.coordination.k8s.io "qvs-shop-staging" is forbidden`,
    '"shop-staging": this identity isn\'t allowed to record its releases',
    `${blocked} secrets is forbidden`,
    `ConfigMap ${shop.namespace}/${old} can't be deleted`,
    `${blocked} configmaps "${old}" is forbidden`,
    `~ rename ConfigMap ${shop.namespace}/${old} → shop-settings-`,
  ]) {
    expect(preview.stdout).toContain(notice);
  }
  // The same permissions prevent the deployment, and its dry run reports that.
  const rehearsal = await shop.qvsAs("deployer", "deploy", "--dry-run");
  expect(rehearsal.code).toBe(1);
  expect(rehearsal.stdout).toContain(`~ rename ConfigMap ${shop.namespace}/${old} → `);
  expect(rehearsal.stderr).toContain("3 errors. Nothing was changed.");
});

test("all commands keep objects that might be in use and report the reason", async () => {
  const demo = await manifestsIn(cluster);
  await allow(demo, [lock, records, reading.replace("pods, ", ""), writing].join("\n"));
  const map = (name: string) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;
  demo.declare({ app: `${map("old")}\n---\n${map("stays")}` });
  expect((await demo.qvsAs("deployer", "deploy")).code).toBe(0);
  demo.declare({ app: map("stays") });

  const name = `ConfigMap ${demo.namespace}/old`;
  const preview = await demo.qvsAs("deployer", "diff");
  expect(preview.stdout).toContain(`qvs can't check whether ${name} is still used.`);
  expect(preview.stdout).toContain(
    "A deployment without these permissions keeps objects that might be in use",
  );
  const why = `qvs can't find out whether it is still used: pods is forbidden: User "deployer" cannot list resource "pods"`;
  const rehearsal = await demo.qvsAs("deployer", "deploy", "--dry-run");
  expect(rehearsal.stdout).toContain(`= keep   ${name}: ${why}`);
  const done = await demo.qvsAs("deployer", "deploy");
  expect({ code: done.code, kept: done.stderr.includes(why) }).toEqual({ code: 0, kept: true });

  const drift = await demo.qvsAs("deployer", "drift");
  expect(drift.code, drift.stdout).toBe(0);
  expect(drift.stdout).toContain(`${name} is no longer declared, but kept: ${why}`);
  const corrected = await demo.qvsAs("deployer", "reconcile");
  expect(corrected).toMatchObject({ code: 0, stdout: drift.stdout });
});
