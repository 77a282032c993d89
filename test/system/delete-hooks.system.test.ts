import { expect, test } from "vitest";
import { type Manifests, manifestsIn } from "../support/cluster/manifests-in.ts";
import { newAccount } from "../support/cluster/service-account.ts";
import { killAfterWrite } from "../support/qvs/kill-after-write.ts";
import { awaitPermissions, clusterOf, expectUsed, useRoles } from "./rbac/roles.ts";

/**
 * Tests the hooks that a deletion runs: docs/reference/qvs-yaml.md#hooks-of-deletions
 */
const roles = useRoles();
const { cluster } = roles;

interface Hook {
  readonly name: string;
  readonly events: string;
  readonly policy?: string;
  readonly behaviour?: string;
  /** More lines of the Pod spec. */
  readonly pod?: string;
  readonly namespace?: string;
}

/** Returns the template of a hook Job. */
function job({ name, events, policy, behaviour, pod, namespace }: Hook): string {
  const policies = policy === undefined ? "" : `, helm.sh/hook-delete-policy: "${policy}"`;
  return `
apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  ${namespace === undefined ? "" : `namespace: ${namespace}`}
  annotations: {helm.sh/hook: "${events}"${policies}}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {test.qvs/behaviour: "${behaviour ?? ""}"}}
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 0
      ${pod ?? ""}
      containers: [{name: a, image: "a:1"}]
`;
}

const settings = "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {a: b}}";

/** A deployment `demo` of a chart with a ConfigMap and hooks. */
async function chartIn(namespace?: string) {
  const demo = await manifestsIn(cluster, namespace);
  demo.write("params.json", "{}");
  demo.write(
    ".valuestream/qvs.yaml",
    "designPatterns: [{helm: {chart: ../charts/web, release: store}}]",
  );
  demo.write("charts/web/Chart.yaml", "{apiVersion: v2, name: web, version: 1.0.0}");
  demo.write("charts/web/templates/settings.yaml", settings);
  return {
    ...demo,
    hooks: (...templates: readonly string[]) =>
      demo.write("charts/web/templates/hooks.yaml", templates.join("\n---\n")),
    remove: (...args: readonly string[]) => demo.qvs("delete", "-d", "demo", "-q", ...args),
    /** Returns the writes of the last command, without the namespace. */
    own: async () =>
      (await demo.writes()).map((write) => write.replaceAll(`${demo.namespace}/`, "")),
  };
}

async function left(demo: Manifests): Promise<readonly string[]> {
  const kinds = "jobs,configmaps,secrets,leases,serviceaccounts";
  const names = await demo.kubectl("get", kinds, "-o", "name");
  return names
    .split("\n")
    .filter((name) => name !== "" && !/kube-root-ca.crt|serviceaccount\/default/.test(name));
}

test("a pre-delete hook that fails stops the deletion, and the next one runs it again", async () => {
  const demo = await chartIn();
  demo.hooks(job({ name: "back-up", events: "pre-delete", behaviour: "job-fails" }));
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  await demo.own();
  const failed = await demo.remove("--yes");
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain(`Job ${demo.namespace}/back-up: failed`);
  expect(failed.stderr).toContain("or delete without hooks: add --no-hooks");
  expect(failed.stderr).toContain(`not deleted: ConfigMap ${demo.namespace}/settings`);
  expect(await demo.own()).toEqual(["patch Job back-up"]);
  expect(await left(demo)).toContain("job.batch/back-up");

  const shown = await demo.remove("--dry-run");
  expect(shown.stdout).toContain(`± replace Job ${demo.namespace}/back-up`);
  const again = await demo.remove("--yes");
  expect(again.code).toBe(1);
  expect(await demo.own()).toEqual(["delete Job back-up", "patch Job back-up"]);

  const without = await demo.remove("--yes", "--no-hooks");
  expect(without, without.stderr).toMatchObject({ code: 0, stdout: "demo deleted\n" });
  expect(await left(demo)).toEqual([]);
});

test("a corrected hook runs after a deployment, and the failed Job of the old one is gone", async () => {
  const demo = await chartIn();
  demo.hooks(job({ name: "back-up", events: "pre-delete", behaviour: "job-fails" }));
  await demo.qvs("deploy");
  expect(await demo.remove("--yes")).toMatchObject({ code: 1 });
  demo.hooks(job({ name: "back-up", events: "pre-delete" }));
  const deployed = await demo.qvs("deploy");
  expect(deployed, deployed.stderr).toMatchObject({ code: 0 });
  expect(await left(demo)).not.toContain("job.batch/back-up");
  const removed = await demo.remove("--yes");
  expect(removed, removed.stderr).toMatchObject({ code: 0, stdout: "demo deleted\n" });
  expect(await left(demo)).toEqual([]);
});

test("a hook with the policy hook-failed is deleted when it fails", async () => {
  const demo = await chartIn();
  const events = "pre-delete";
  demo.hooks(job({ name: "back-up", events, behaviour: "job-fails", policy: "hook-failed" }));
  await demo.qvs("deploy");
  const failed = await demo.remove("--yes");
  expect(failed.code).toBe(1);
  await demo.kubectl("wait", "--for=delete", "job/back-up", "--timeout=600s");
  expect((await left(demo)).filter((name) => !name.includes("secret"))).toContain(
    "configmap/settings",
  );
});

test("a hook of the installation and of the deletion runs at both", async () => {
  const demo = await chartIn();
  const events = "pre-install,pre-delete,post-delete";
  demo.hooks(
    job({ name: "notify", events, pod: "serviceAccountName: notify" }),
    `
apiVersion: v1
kind: ServiceAccount
metadata: {name: notify, annotations: {helm.sh/hook: "${events}", helm.sh/hook-weight: "-1"}}
`,
  );
  const deployed = await demo.qvs("deploy");
  expect(deployed.stderr).toContain("qvs doesn't run it at post-delete");
  expect(await demo.own()).toEqual([
    "patch ServiceAccount notify",
    "patch Job notify",
    "patch ConfigMap settings",
  ]);
  const removed = await demo.remove("--yes");
  expect(removed, removed.stderr).toMatchObject({ code: 0, stdout: "demo deleted\n" });
  expect(await demo.own()).toEqual([
    // Its stage changes, and with it the field manager.
    "patch ServiceAccount notify",
    "patch ServiceAccount notify",
    "delete Job notify",
    "patch Job notify",
    "delete ConfigMap settings",
    "delete Job notify",
    "delete ServiceAccount notify",
  ]);
  expect(await left(demo)).toEqual([]);
});

test("a post-delete hook that fails keeps the release, and the next deletion repeats only it", async () => {
  const demo = await chartIn();
  demo.hooks(
    job({ name: "back-up", events: "pre-delete" }),
    job({ name: "farewell", events: "post-delete", behaviour: "job-fails" }),
  );
  await demo.qvs("deploy");
  await demo.own();
  expect(await demo.remove("--yes")).toMatchObject({ code: 1 });
  expect(await demo.own()).toEqual([
    "patch Job back-up",
    "delete ConfigMap settings",
    "patch Job farewell",
  ]);
  expect(await demo.remove("--yes")).toMatchObject({ code: 1 });
  expect(await demo.own()).toEqual(["delete Job farewell", "patch Job farewell"]);
  expect(await demo.remove("--yes", "--no-hooks")).toMatchObject({ code: 0 });
  expect(await left(demo)).toEqual([]);
});

test("a deletion that is killed after any of its writes runs no finished hook again", async () => {
  const demo = await chartIn();
  demo.hooks(
    job({ name: "back-up", events: "pre-delete" }),
    job({ name: "farewell", events: "post-delete", policy: "hook-succeeded" }),
  );
  const killed: string[] = [];
  for (let nth = 1; ; nth += 1) {
    expect(await demo.qvs("deploy", "-q")).toMatchObject({ code: 0 });
    await demo.own();
    const write = await killAfterWrite(cluster, demo, nth, ["delete", "-d", "demo", "--yes"]);
    if (write === undefined) break;
    killed.push(write);
    const resumed = await demo.remove("--yes");
    expect(resumed, `${write}: ${resumed.stderr}`).toMatchObject({ code: 0 });
    const writes = await demo.own();
    for (const name of ["back-up", "farewell"]) {
      const runs = writes.filter((each) => each === `patch Job ${name}`).length;
      // A kill before the answer can repeat a request for the same Job.
      expect({ write, name, runs }).toEqual({ write, name, runs: 1 });
    }
    expect(await left(demo)).toEqual([]);
  }
  expect(killed.length).toBeGreaterThan(6);
});

test("a hook outside the namespace of the releases needs a flag", async () => {
  const demo = await chartIn();
  const other = await cluster.namespace("elsewhere");
  demo.hooks(job({ name: "outside", events: "pre-delete", namespace: other }));
  await demo.qvs("deploy");
  const blocked = await demo.remove("--dry-run");
  expect(blocked.code).toBe(1);
  expect(blocked.stdout + blocked.stderr).toContain(
    `Hooks of the recorded charts would write objects outside namespace ${demo.namespace}`,
  );
  const removed = await demo.remove("--yes", "--allow-outside-namespace");
  expect(removed, removed.stderr).toMatchObject({ code: 0 });
  expect(await cluster.kubectl("-n", other, "get", "jobs", "-o", "name")).toBe("");
});

test("a hook in a namespace that doesn't exist is an error of the preview", async () => {
  const demo = await chartIn();
  const namespace = `${demo.namespace}-missing`;
  demo.hooks(job({ name: "outside", events: "pre-delete", namespace }));
  await demo.qvs("deploy");
  const blocked = await demo.remove("--dry-run", "--allow-outside-namespace");
  expect(blocked.code).toBe(1);
  expect(blocked.stdout + blocked.stderr).toContain(namespace);
  expect(await left(demo)).toContain("configmap/settings");
});

test("a hook with the name of an object of the deployment is an error of the preview", async () => {
  const demo = await chartIn();
  demo.hooks(`
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {helm.sh/hook: pre-delete}}
`);
  await demo.qvs("deploy");
  const blocked = await demo.remove("--dry-run");
  expect(blocked.code).toBe(1);
  expect(blocked.stdout + blocked.stderr).toContain(
    `Hook ConfigMap ${demo.namespace}/settings has the name of an object that the deletion deletes`,
  );
});

test("the values of a Secret that is a hook are in no output", async () => {
  const demo = await chartIn();
  demo.hooks(
    `
apiVersion: v1
kind: Secret
metadata: {name: login, annotations: {helm.sh/hook: pre-delete, helm.sh/hook-weight: "-1"}}
stringData: {password: hunter2-hunter2}
`,
    job({
      name: "back-up",
      events: "pre-delete",
      behaviour: "job-fails",
      pod: "serviceAccountName: default",
    }),
  );
  await demo.qvs("deploy");
  const shown = await demo.remove("--dry-run");
  expect(shown.stdout).toContain(`+ create Secret ${demo.namespace}/login`);
  const failed = await demo.remove("--yes");
  expect(failed.code).toBe(1);
  const all = [shown, failed].flatMap(({ stdout, stderr }) => [stdout, stderr]).join("");
  expect(all).not.toContain("hunter2");
  expect(all).not.toContain(btoa("hunter2-hunter2"));
});

test("the roles of a deployment block a hook before anything is deleted, and those of the deletion allow it", async () => {
  const demo = await chartIn();
  const account = await newAccount(cluster);
  demo.hooks(job({ name: "back-up", events: "pre-delete" }));
  const qvs = roles.as(demo, account);
  await demo.qvs("deploy");
  await roles.applied(await roles.printed(demo, account, "deploy"));
  const api = await clusterOf(account);
  await awaitPermissions(api, await roles.rules(demo, account, "deploy"));
  const blocked = await qvs("delete", "-d", "demo", "--yes", "-q");
  expect(blocked.code).toBe(1);
  expect(blocked.stderr).toContain("jobs.batch");
  expect(blocked.stderr).toContain("qvs rbac delete -d demo");
  expect(await left(demo)).toContain("configmap/settings");

  await roles.applied(await roles.printed(demo, account, "delete"));
  const rules = await roles.rules(demo, account, "delete");
  await awaitPermissions(api, rules);
  const before = (await account.requests()).length;
  const removed = await qvs("delete", "-d", "demo", "--yes", "-q");
  expect(removed, removed.stderr).toMatchObject({ code: 0, stdout: "demo deleted\n" });
  const ofHooks = rules.filter(
    ({ resource, isOptional }) => resource === "jobs.batch" && !isOptional,
  );
  expect(ofHooks.map(({ verb }) => verb).toSorted()).toEqual([
    ...["create", "delete", "get", "list", "patch", "watch"],
  ]);
  await expectUsed(ofHooks, async () => (await account.requests()).slice(before));
});
