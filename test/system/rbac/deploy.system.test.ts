import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { findDeniedPermissions } from "../../../src/planning/permissions/find-denied-permissions.ts";
import type { Permission } from "../../../src/planning/permissions/permission.ts";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { newAccount } from "../../support/cluster/service-account.ts";
import { everything, theirs } from "./everything.ts";
import {
  clusterOf,
  expectUsed,
  hold,
  type PrintedRule,
  right,
  takeAway,
  useRoles,
} from "./roles.ts";

/**
 * Tests that the roles from `qvs rbac deploy` are sufficient and contain only used permissions, on
 * a real control plane.
 */
const roles = useRoles();
const { cluster } = roles;

test("the printed roles allow deployment, waiting, failure, rollback and deletion, and each permission is used", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  const account = await newAccount(cluster);
  const { outside, hold: holdTheirs, through } = await theirs(cluster);
  const qvs = roles.as(demo, account, await through(account));
  const declare = (hash: string, more = "") =>
    demo.declare({ app: everything({ place, outside, hash, more }) });
  declare("11111111");
  const refused = await qvs("deploy");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("Allow get, create, update on leases.coordination.k8s.io");
  expect(refused.stderr).toContain("command prints: qvs rbac deploy -d demo");
  await roles.applied(await roles.printed(demo, account, "deploy"));
  const rules = await roles.rules(demo, account, "deploy");
  await hold(await clusterOf(account), rules);
  await cluster.apply(
    place,
    `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: shared}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`,
  );

  const before = (await account.requests()).length;
  const sent = async () => (await account.requests()).slice(before);
  const run = async (expected: number, ...args: [string, ...string[]]) => {
    const { code, stderr, stdout } = await qvs(...args);
    expect(code, `${args} ${stdout} ${stderr}`).toBe(expected);
  };
  await holdTheirs();
  await run(0, "deploy", "--quiet", "--timeout", "10m");
  declare("22222222");
  await run(0, "deploy", "--quiet", "--timeout", "10m");
  declare("33333333", ", test.qvs/behaviour: never-ready");
  await run(1, "deploy", "--quiet", "--timeout", "2s");
  await run(0, "rollback", "--quiet", "--timeout", "10m", "--to", "1");
  demo.declare({ app: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings-44444444}}" });
  await run(0, "deploy", "--quiet", "--timeout", "10m", "--allow-delete=PersistentVolumeClaim");

  await expectUsed(rules, sent);
});

const small = `
{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: "web:1"}]}}}}
`;

test("a missing verb is named exactly, and requests beyond the roles are denied", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  const account = await newAccount(cluster);
  const cloud = `---\n{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: ${place}}, rules: []}`;
  demo.declare({ app: `${small}${cloud}` });
  const printed = await roles.printed(demo, account, "deploy");
  const rules = (await roles.rules(demo, account, "deploy")).filter(
    ({ isOptional }) => !isOptional,
  );
  await roles.applied(printed);
  const api = await clusterOf(account);
  await hold(api, rules);
  await takeAway(roles, api, { printed, rules });

  const beyond: readonly Permission[] = [
    right(place, "apps", "deployments", "patch", "other"),
    right(place, "apps", "deployments", "deletecollection"),
    right(place, "apps", "statefulsets", "create"),
    right(place, "", "pods/exec", "create"),
    right(place, "", "serviceaccounts/token", "create"),
    right(place, "coordination.k8s.io", "leases", "update", "other"),
    right("default", "", "secrets", "list"),
    right(undefined, "rbac.authorization.k8s.io", "clusterroles", "patch", "admin"),
    right(undefined, "", "nodes", "list"),
  ];
  expect(await findDeniedPermissions(api, beyond, 8)).toEqual(beyond);
});

test.each([
  {
    resource: "deployments",
    verbs: ["get", "watch"],
    text: '"demo": this identity isn\'t allowed to get, watch deployments.apps in namespace',
  },
  {
    resource: "configmaps",
    verbs: ["patch"],
    text: 'cannot patch resource "configmaps" in API group "" in the namespace',
  },
])(
  "a deployment that isn't allowed to $verbs $resource changes nothing",
  async ({ resource, verbs, text }) => {
    const demo = await manifestsIn(cluster);
    const account = await newAccount(cluster);
    demo.declare({ app: small });
    expect((await demo.qvs("deploy", "--quiet")).code).toBe(0);
    demo.declare({
      app: small.replace("name: a}", "name: a}, data: {a: b}").replace("web:1", "web:2"),
    });
    const documents = parseAllDocuments(await roles.printed(demo, account, "deploy")).map((d) =>
      d.toJS(),
    );
    for (const { rules = [] } of documents) {
      for (const rule of rules) {
        if (!rule.resources.includes(resource)) continue;
        rule.verbs = rule.verbs.filter((verb: string) => !verbs.includes(verb));
      }
      const kept = rules.filter((rule: PrintedRule["rule"]) => rule.verbs.length > 0);
      rules.splice(0, rules.length, ...kept);
    }
    await roles.applied(documents.map((document) => JSON.stringify(document)).join("\n---\n"));
    const api = await clusterOf(account);
    const list = [right(demo.namespace, "", "configmaps", "list")];
    await expect.poll(() => findDeniedPermissions(api, list, 1)).toEqual([]);
    const { code, stderr } = await roles.as(demo, account)("deploy", "--quiet");
    expect(code).toBe(1);
    expect(stderr).toContain(text);
    expect(stderr).toContain("command prints: qvs rbac deploy -d demo");
    expect(stderr).toContain("Nothing was changed.");
    expect(stderr.match(/isn't allowed to|cannot /g)).toHaveLength(1);
  },
);
