import { expect, test } from "vitest";
import { findDeniedPermissions } from "../../../src/planning/permissions/find-denied-permissions.ts";
import type { Permission } from "../../../src/planning/permissions/permission.ts";
import { manifestsIn } from "../../support/cluster/manifests-in.ts";
import { newAccount } from "../../support/cluster/service-account.ts";
import { everything, last, theirs, unusedByCorrection, userOfLast } from "./everything.ts";
import { clusterOf, expectUsed, hold, right, rightOf, takeAway, useRoles } from "./roles.ts";

/** Tests the roles of `qvs drift` and `qvs reconcile` on a real control plane. */
const roles = useRoles();
const { cluster } = roles;

/**
 * Returns permissions that these runs don't use. Drift of cluster-scoped objects is detected
 * without a dry-run.
 */
const unused = (place: string) => ({
  drift: ["create clusterroles.rbac.authorization.k8s.io in all"],
  reconcile: unusedByCorrection(place),
});

test("the printed roles are sufficient to find and correct all drift, and each permission is used", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  const { outside, hold: holdTheirs, free, through } = await theirs(cluster);
  await holdTheirs();
  await free();
  await cluster.apply(place, userOfLast);
  const declared = everything({ place, outside, hash: "11111111", claim: "data" }) + last(place);
  demo.declare({ app: declared });
  const deployed = await demo.qvs("deploy", "--quiet", "--timeout", "10m");
  expect(deployed.code, deployed.stderr).toBe(0);
  const accounts = { drift: await newAccount(cluster), reconcile: await newAccount(cluster) };
  const rules = { drift: [], reconcile: [] } as Record<
    keyof typeof accounts,
    Awaited<ReturnType<typeof roles.rules>>
  >;
  for (const what of ["drift", "reconcile"] as const) {
    await roles.applied(await roles.printed(demo, accounts[what], what));
    rules[what] = await roles.rules(demo, accounts[what], what);
    await hold(await clusterOf(accounts[what]), rules[what]);
  }
  const drift = roles.as(demo, accounts.drift);
  const reconcile = roles.as(demo, accounts.reconcile, await through(accounts.reconcile));
  const correct = async (...flags: readonly string[]) => {
    const found = await drift("drift", ...flags);
    expect(found.code, found.stdout + found.stderr).toBe(2);
    const flagsOfAll = ["--allow-outside-namespace", "--allow-delete=PersistentVolumeClaim"];
    const asked = [...flagsOfAll, "--allow-irreversible", ...flags, "--quiet"];
    const done = await reconcile("reconcile", ...asked);
    expect(done.code, `${done.stdout} ${done.stderr}`).toBe(0);
    return done.stdout;
  };
  const { kubectl } = demo;
  const objects = [
    ...["deployment/web", "configmap/settings-11111111", "configmap/kept-v1", "secret/login"],
    ...["service/web", "role/reader", "rolebinding/reader", `clusterrole/${place}`],
  ];

  await kubectl("delete", ...objects);
  await kubectl("delete", "pod", "--selector=app=web", "--grace-period=0", "--force");
  await kubectl("delete", "persistentvolumeclaim/data");
  await holdTheirs();
  expect(await correct()).toContain("9 created");
  await kubectl(
    "label",
    ...objects,
    "persistentvolumeclaim/data",
    "vs.axis-dev.io/stage=other",
    "--overwrite",
  );
  expect(await correct()).toContain("9 updated");

  demo.declare({ app: "{apiVersion: v1, kind: ConfigMap, metadata: {name: stays}}" });
  const flags = ["--allow-delete=PersistentVolumeClaim", "--quiet"];
  expect((await demo.qvs("deploy", ...flags)).code).toBe(0);
  await kubectl("delete", "pod", "user", "--grace-period=0", "--force");
  expect(await correct()).toContain("deleted");

  for (const what of ["drift", "reconcile"] as const) {
    // The watch of a Deployment is used in the test of `deploy`, where one never becomes ready.
    const chance = [`watch deployments.apps in ${place}`];
    await expectUsed(rules[what], accounts[what].requests, unused(place)[what], chance);
  }
});

test("the printed roles allow deletion of the deployment, and each permission is used", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  const { outside, hold: holdTheirs, free } = await theirs(cluster);
  await holdTheirs();
  await free();
  demo.declare({ app: everything({ place, outside, hash: "11111111", claim: "data" }) });
  expect((await demo.qvs("deploy", "--quiet", "--timeout", "10m")).code).toBe(0);
  const account = await newAccount(cluster);
  await roles.applied(await roles.printed(demo, account, "delete"));
  const rules = await roles.rules(demo, account, "delete");
  await hold(await clusterOf(account), rules);
  const flags = ["-d", "demo", "--yes", "--delete-kept", "--allow-delete=PersistentVolumeClaim"];
  const run = await roles.as(demo, account)("delete", ...flags);
  expect(run.code, `${run.stdout} ${run.stderr}`).toBe(0);
  await expectUsed(rules, account.requests);
});

/** Kinds that are listed only to find users of a ConfigMap. */
const onlyForUse: ReadonlySet<string> = new Set([
  ...["pods", "daemonsets.apps", "replicasets.apps", "statefulsets.apps"],
  ...["cronjobs.batch", "jobs.batch"],
]);

const map = (name: string, more = "") =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}${more}}}`;

const workload = (name: string) =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}}, spec: {selector: {matchLabels: {app: ${name}}}, template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: web, image: "web:1"}]}}}}`;

test("reconcile with one permission less changes nothing and names exactly that one, and requests beyond its roles are denied", async () => {
  const demo = await manifestsIn(cluster);
  const place = demo.namespace;
  const account = await newAccount(cluster);
  await cluster.apply(place, userOfLast);
  const stays = [map("a"), workload("web")];
  const waits = `, annotations: {vs.axis-dev.io/dependsOn: "apps:Deployment::${place}/old"}`;
  demo.declare({ app: [...stays, workload("old"), map("last", waits)].join("\n---\n") });
  expect((await demo.qvs("deploy", "--quiet")).code).toBe(0);
  const printed = await roles.printed(demo, account, "reconcile");
  const rules = (await roles.rules(demo, account, "reconcile")).filter(
    ({ isOptional }) => !isOptional,
  );
  await roles.applied(printed);
  demo.declare({ app: stays.join("\n---\n") });
  expect((await demo.qvs("deploy", "--quiet")).code).toBe(0);
  // One object of each kind must be created again, and one must be deleted.
  await demo.kubectl("delete", "configmap/a", "deployment/web");
  await demo.kubectl("delete", "pod", "user", "--grace-period=0", "--force");
  const api = await clusterOf(account);
  await hold(api, rules);
  await demo.writes();
  const reconcile = roles.as(demo, account);
  // Roles from before freezes existed must still allow corrections, so that permission is tested by
  // its use.
  const taken = rules.filter(({ names }) => !names.includes("qvs-freeze"));
  await takeAway(roles, api, { printed, rules: taken }, async (rule) => {
    const before = (await account.requests()).length;
    const { code, stdout, stderr } = await reconcile("reconcile", "--quiet");
    const what = `${rule.verb} ${rule.resource}\n${stdout}${stderr}`;
    if (onlyForUse.has(rule.resource)) {
      // qvs can't check whether the undeclared objects are in use, so only these are kept.
      expect(code, what).toBe(0);
      const denied = (await account.requests())
        .slice(before)
        .filter(({ status }) => status === 403);
      const texts = new Set(denied.map(({ verb, resource }) => `${verb} ${resource}`));
      expect([...texts], what).toEqual([`list ${rule.resource}`]);
      expect(await demo.kubectl("get", "configmap/last", "-o", "name")).toBe("configmap/last\n");
    } else {
      expect(code, what).toBe(1);
      const { resource } = rightOf(rule);
      const names = `(cannot|isn't allowed to) ${rule.verb} (resource "${resource}"|${rule.resource.replace(".", "\\.")})[ i]`;
      expect(stderr).toMatch(new RegExp(names));
      expect(stderr.match(/^error\[/gm), stderr).toHaveLength(1);
      expect(stderr).not.toContain("qvs rbac deploy");
      expect(stderr).toContain("Nothing was changed.");
      expect(await demo.writes(), what).toEqual([]);
    }
  });

  const beyond: readonly Permission[] = [
    right(place, "", "secrets", "create"),
    right(place, "", "configmaps", "patch", "other"),
    right(place, "apps", "deployments", "patch", "other"),
    right(place, "apps", "deployments", "deletecollection"),
    right(place, "apps", "statefulsets", "create"),
    right(place, "", "pods/exec", "create"),
    right(place, "", "serviceaccounts/token", "create"),
    right(place, "coordination.k8s.io", "leases", "update", "other"),
    right(place, "coordination.k8s.io", "leases", "delete", "qvs-demo"),
    right("default", "", "secrets", "list"),
    right(undefined, "rbac.authorization.k8s.io", "clusterroles", "patch", "admin"),
    right(undefined, "", "nodes", "list"),
  ];
  expect(await findDeniedPermissions(api, beyond, 8)).toEqual(beyond);
  expect((await reconcile("reconcile", "--quiet")).code).toBe(0);
});
