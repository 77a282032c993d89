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

/** Returns the template of a hook ServiceAccount that precedes the Jobs. */
function serviceAccount(name: string, events: string): string {
  const annotations = `{helm.sh/hook: "${events}", helm.sh/hook-weight: "-1"}`;
  return `{apiVersion: v1, kind: ServiceAccount, metadata: {name: ${name}, annotations: ${annotations}}}`;
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

test("a corrected hook runs after a deployment, and the failed Job of the old one doesn't exist any more", async () => {
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

test("a hook that fails stays, even with the policy hook-failed", async () => {
  const demo = await chartIn();
  const events = "pre-delete";
  demo.hooks(job({ name: "back-up", events, behaviour: "job-fails", policy: "hook-failed" }));
  await demo.qvs("deploy");
  expect(await demo.remove("--yes")).toMatchObject({ code: 1 });
  expect(await left(demo)).toEqual(
    expect.arrayContaining(["job.batch/back-up", "configmap/settings"]),
  );
});

test("a hook that is also an object of the deployment runs only in the deployment", async () => {
  const demo = await chartIn();
  demo.hooks(
    job({ name: "notify", events: "pre-install,pre-delete", pod: "serviceAccountName: notify" }),
    serviceAccount("notify", "pre-install,pre-delete"),
  );
  const deployed = await demo.qvs("deploy");
  expect(deployed.stderr).toContain("qvs doesn't run it at pre-delete");
  await demo.own();
  const shown = await demo.remove("--dry-run");
  expect(shown.stdout).toContain("0 to create, 0 to update, 3 to delete");
  const removed = await demo.remove("--yes");
  expect(removed, removed.stderr).toMatchObject({ code: 0, stdout: "demo deleted\n" });
  expect((await demo.own()).toSorted()).toEqual([
    "delete ConfigMap settings",
    "delete Job notify",
    "delete ServiceAccount notify",
  ]);
});

test("no deletion creates or deletes a hook that can hold data, and the deployment shows the reason", async () => {
  const demo = await chartIn();
  demo.hooks(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: copy, annotations: {helm.sh/hook: pre-delete, helm.sh/hook-weight: "-1"}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`);
  const deployed = await demo.qvs("deploy");
  expect(deployed).toMatchObject({ code: 0 });
  expect(deployed.stderr).toContain("No deletion runs hook PersistentVolumeClaim copy");
  await demo.own();
  const removed = await demo.remove("--yes");
  expect(removed, removed.stderr).toMatchObject({ code: 0, stdout: "demo deleted\n" });
  expect(await demo.own()).toEqual(["delete ConfigMap settings"]);
});

test("an object that existed before blocks the hook of its name and stays", async () => {
  const demo = await chartIn();
  demo.hooks(
    serviceAccount("cleanup", "pre-delete"),
    job({ name: "back-up", events: "pre-delete", pod: "serviceAccountName: cleanup" }),
  );
  await demo.qvs("deploy");
  await demo.kubectl("create", "serviceaccount", "cleanup");
  await demo.own();
  const shown = await demo.remove("--dry-run");
  expect(shown.code).toBe(1);
  expect(shown.stdout + shown.stderr).toContain(
    `Hook ServiceAccount ${demo.namespace}/cleanup has the name of an object that exists already`,
  );
  expect(await demo.remove("--yes")).toMatchObject({ code: 1 });
  expect(await demo.own()).toEqual([]);
  const without = await demo.remove("--yes", "--no-hooks");
  expect(without, without.stderr).toMatchObject({ code: 0 });
  expect(await left(demo)).toEqual(["serviceaccount/cleanup"]);
});

test("the preview shows a hook that ran in an earlier attempt, and its digest contains the deletion", async () => {
  const demo = await chartIn();
  demo.hooks(
    serviceAccount("cleanup", "pre-delete"),
    job({ name: "back-up", events: "pre-delete" }),
    job({ name: "farewell", events: "post-delete", behaviour: "job-fails" }),
  );
  await demo.qvs("deploy");
  expect(await demo.remove("--yes")).toMatchObject({ code: 1 });
  const shown = await demo.remove("--dry-run");
  expect(shown.stdout).toContain(
    "0 to create, 0 to update, 1 to replace, 3 to delete, 0 unchanged",
  );
  for (const name of ["ServiceAccount demo/cleanup", "Job demo/back-up"])
    expect(shown.stdout).toContain(
      `- delete ${name.replace("demo", demo.namespace)}: hook: doesn't run again`,
    );
  const digest = /--expect-digest (\S+)/.exec(shown.stdout + shown.stderr)?.[1] ?? "";
  await demo.kubectl("delete", "job", "back-up");
  const changed = await demo.remove("--yes", "--expect-digest", digest);
  expect(changed.code).toBe(1);
  expect(changed.stderr).toContain("digest");
  expect(await left(demo)).toContain("job.batch/farewell");
});

test("a pre-delete hook of an ended attempt runs again after a new deployment", async () => {
  const demo = await chartIn();
  const farewell = job({ name: "farewell", events: "post-delete", behaviour: "job-fails" });
  demo.hooks(job({ name: "back-up", events: "pre-delete" }), farewell);
  await demo.qvs("deploy");
  expect(await demo.remove("--yes")).toMatchObject({ code: 1 });
  demo.write("charts/web/templates/settings.yaml", settings.replace("a: b", "a: c"));
  expect(await demo.qvs("deploy")).toMatchObject({ code: 0 });
  await demo.own();
  expect(await demo.remove("--yes")).toMatchObject({ code: 1 });
  expect(await demo.own()).toContain("patch Job back-up");
});

test("a post-delete hook doesn't run while an object of the deployment is kept in use", async () => {
  const demo = await chartIn();
  demo.hooks(
    job({ name: "back-up", events: "pre-delete" }),
    job({ name: "farewell", events: "post-delete" }),
  );
  await demo.qvs("deploy");
  const user = {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "user" } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "a", image: "a:1", envFrom: [{ configMapRef: { name: "settings" } }] }],
    },
  };
  demo.write("user.json", JSON.stringify(user));
  await demo.kubectl("apply", "-f", `${demo.directory}/user.json`);
  await demo.own();
  const kept = await demo.remove("--yes");
  expect(kept.code).toBe(1);
  expect(kept.stderr).toContain(`ConfigMap ${demo.namespace}/settings is kept`);
  expect(await demo.own()).toEqual(["patch Job back-up"]);
  await demo.kubectl("delete", "pod", "user", "--grace-period=0", "--force");
  await demo.own();
  const removed = await demo.remove("--yes");
  expect(removed, removed.stderr).toMatchObject({ code: 0, stdout: "demo deleted\n" });
  expect(await demo.own()).toEqual(
    expect.arrayContaining(["delete ConfigMap settings", "patch Job farewell"]),
  );
});

test("the value of a secret parameter in a hook is in no output", async () => {
  const demo = await chartIn();
  demo.write(
    ".valuestream/qvs.yaml",
    `
params:
  - {name: token, type: string}
designPatterns:
  - helm: {chart: ../charts/web, release: store, set: {password: $(params.token)}}
`,
  );
  const hook = job({ name: "back-up", events: "pre-delete", behaviour: "job-fails" });
  demo.hooks(hook.replace('image: "a:1"', 'image: "a:1", args: ["--key={{ .Values.password }}"]'));
  demo.write("params.json", JSON.stringify({ token: "hunter2-hunter2" }));
  const deployed = await demo.qvs("deploy");
  expect(deployed, deployed.stderr).toMatchObject({ code: 0 });
  const shown = await demo.remove("--dry-run");
  expect(shown.stdout).toContain("args:");
  const json = await demo.remove("--dry-run", "--expect-digest", "0".repeat(64));
  const failed = await demo.remove("--yes");
  expect(failed.code).toBe(1);
  const repeated = await demo.remove("--dry-run");
  const all = [shown, json, failed, repeated].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  expect(all.join("")).not.toContain("hunter2");
});

test("a hook with random values makes no new release in each deployment", async () => {
  const demo = await chartIn();
  demo.hooks(job({ name: "back-up-{{ randAlphaNum 5 | lower }}", events: "pre-delete" }));
  expect((await demo.qvs("deploy", "-q")).stdout).toContain("release 1");
  const again = await demo.qvs("deploy", "-q");
  expect(again.code).toBe(0);
  const releases = await demo.kubectl("get", "secrets", "-o", "name");
  expect(releases.match(/qvs\.demo\.v\d+/g)).toEqual(["qvs.demo.v1"]);
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

test("a hook with the name of an object of the deployment is left out when it is deployed", async () => {
  const demo = await chartIn();
  demo.hooks(`
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, annotations: {helm.sh/hook: "pre-delete"}}
data: {a: other}
`);
  const deployed = await demo.qvs("deploy");
  expect(deployed).toMatchObject({ code: 0 });
  expect(deployed.stderr).toContain(`No deletion runs hook ConfigMap ${demo.namespace}/settings`);
  await demo.own();
  expect(await demo.remove("--yes")).toMatchObject({ code: 0 });
  expect(await demo.own()).toEqual(["delete ConfigMap settings"]);
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
