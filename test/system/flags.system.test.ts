import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Manifests, manifestsIn } from "../support/cluster/manifests-in.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { deployment } from "../support/cluster/workloads.ts";

/** Tests the flags of `qvs deploy` and `qvs rollback` on a real control plane. */
const cluster = useCluster();

const config = (name: string, value: string) =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {x: ${value}}}\n---\n`;
const web = (image: string) => deployment("web", { image, configMap: "settings" });

/**
 * Creates release 1: settings in appSetup, and in app a Deployment that reads them and another
 * object.
 */
async function deployed(): Promise<Manifests> {
  const demo = await manifestsIn(cluster);
  demo.declare({
    appSetup: config("settings", "one"),
    app: web("acme/web:1") + config("extra", "text"),
  });
  const { code, stderr } = await demo.qvs("deploy");
  expect(code, stderr).toBe(0);
  await demo.writes();
  return demo;
}

/** The time limit in milliseconds for seven runs of the program on a shared machine. */
const runsInPlenty = 600_000;

async function everything({ kubectl }: Manifests): Promise<string> {
  const kinds = "configmaps,secrets,leases,deployments,replicasets";
  const columns = "K:.kind,N:.metadata.name,V:.metadata.resourceVersion";
  return kubectl("get", kinds, "--no-headers", "-o", `custom-columns=${columns}`);
}

test("a dry run shows the plan with its digest and writes nothing, not even a lock or record", async () => {
  const demo = await deployed();
  demo.declare({ appSetup: config("settings", "two"), app: web("acme/web:2") });
  const before = await everything(demo);
  const { code, stdout, stderr } = await demo.qvs("deploy", "--dry-run");
  expect({ code, stdout: stdout.replaceAll(demo.namespace, "NS") }).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^demo: 0 to create, 2 to update, 1 to delete, 0 unchanged\n\n~ update ConfigMap NS\/settings\n.*- delete ConfigMap NS\/extra\n/s,
    ),
  });
  const [, digest = ""] = /--expect-digest (\w{12})/.exec(stderr) ?? [];
  expect(await demo.writes()).toEqual([]);
  expect(await everything(demo)).toBe(before);

  const back = await demo.qvs("rollback", "--to", "1", "--dry-run");
  expect(back).toMatchObject({ code: 0, stdout: expect.stringContaining("no changes") });
  expect(await everything(demo)).toBe(before);

  const approved = await demo.qvs("deploy", "--expect-digest", digest);
  expect(approved.code, approved.stderr).toBe(0);
});

test("a dry run blocks like a deployment, with the same messages and exit code", async () => {
  const demo = await deployed();
  demo.declare({ appSetup: config("settings", "7"), app: web("acme/web:1") });
  const [dry, real] = [await demo.qvs("deploy", "--dry-run"), await demo.qvs("deploy")];
  expect({ ...dry, stdout: "" }).toEqual(real);
  expect(dry.code).toBe(1);
  // The output also shows the changes that it would make.
  expect(dry.stdout).toContain("(rejected, see below)");
  expect(dry.stderr).toContain("Nothing was changed.");
});

test("--only-stage leaves the other stage unchanged, also in the record and in a rollback", {
  timeout: runsInPlenty,
}, async () => {
  const demo = await deployed();
  demo.declare({ appSetup: config("settings", "two"), app: web("acme/web:2") });
  const dry = await demo.qvs("deploy", "--only-stage", "app", "--dry-run");
  expect(dry.stdout).toMatch(/^demo \(only app\): 0 to create, 1 to update, 0 to delete, /);
  const app = await demo.qvs("deploy", "--only-stage", "app");
  expect(app.code, app.stderr).toBe(0);
  const { namespace } = demo;
  expect(await demo.writes()).toEqual([`patch Deployment ${namespace}/web`]);
  const setup = await demo.qvs("deploy", "--only-stage", "appSetup");
  expect(setup.code, setup.stderr).toBe(0);
  expect(await demo.writes()).toEqual([`patch ConfigMap ${namespace}/settings`]);

  // The object that app no longer declares is still in the inventory. The next full deployment
  // deletes it.
  expect((await demo.qvs("deploy")).code).toBe(0);
  expect(await demo.writes()).toEqual([`delete ConfigMap ${namespace}/extra`]);

  const back = await demo.qvs("rollback", "--to", "2");
  expect(back.code, back.stderr).toBe(0);
  expect(await demo.writes()).toEqual([`patch ConfigMap ${namespace}/settings`]);
  expect(await demo.kubectl("get", "configmap", "settings", "-o", "jsonpath={.data.x}")).toBe(
    "one",
  );
  const image = "jsonpath={.spec.template.spec.containers[0].image}";
  expect(await demo.kubectl("get", "deployment", "web", "-o", image)).toBe("acme/web:2");
});

test("app can't be deployed alone while appSetup lacks its dependencies", async () => {
  const demo = await manifestsIn(cluster);
  demo.declare({ appSetup: config("settings", "one"), app: web("acme/web:1") });
  const { code, stderr } = await demo.qvs("deploy", "--only-stage", "app");
  expect(code).toBe(1);
  expect(stderr).toContain(
    `Deployment ${demo.namespace}/web needs ConfigMap ${demo.namespace}/settings, which doesn't exist`,
  );
  expect(await demo.writes()).toEqual([]);
});

test("a plan other than the approved one is rejected with the differences", async () => {
  const demo = await deployed();
  demo.declare({
    appSetup: config("settings", "two"),
    app: web("acme/web:1") + config("extra", "text"),
  });
  const { stdout } = await demo.qvs("diff", "--format", "json");
  writeFileSync(join(demo.directory, "plan.json"), stdout);
  demo.declare({ appSetup: config("settings", "three"), app: web("acme/web:1") });
  const { code, stderr } = await demo.qvs("deploy", "--expect-plan", "plan.json");
  expect(code).toBe(1);
  expect(stderr.replaceAll(demo.namespace, "NS")).toMatch(
    /The plan differs from the expected plan\n.*not approved: +delete ConfigMap NS\/extra\n.*changed: +update ConfigMap NS\/settings\n.*approved: .*two\n.*now: .*three\n/s,
  );
  expect(await demo.writes()).toEqual([]);

  demo.declare({
    appSetup: config("settings", "two"),
    app: web("acme/web:1") + config("extra", "text"),
  });
  const approved = await demo.qvs("deploy", "--expect-plan", "plan.json");
  expect(approved.code, approved.stderr).toBe(0);
  expect(readFileSync(join(demo.directory, "plan.json"), "utf8")).toBe(stdout);
});

test("--timeout ends the wait for one object, and --concurrency 1 sends one request after another", async () => {
  const demo = await manifestsIn(cluster);
  const names = ["a", "b", "c"];
  const many = names.map((name) => config(name, "text")).join("");
  demo.declare({ app: many + deployment("stuck", { behaviour: "never-ready" }) });
  const { code, stderr } = await demo.qvs("deploy", "--timeout", "2s", "--concurrency", "1");
  expect(code).toBe(1);
  expect(stderr).toContain(`Deployment ${demo.namespace}/stuck: not ready after 2 s`);
  const writes = await demo.writes();
  expect(writes).toEqual([
    `patch Deployment ${demo.namespace}/stuck`,
    ...names.map((name) => `patch ConfigMap ${demo.namespace}/${name}`),
  ]);
});

test("a deployment that creates its own namespace follows the approval by its digest and by its plan", async () => {
  const elsewhere = await cluster.namespace("elsewhere");
  for (const how of ["digest", "plan"]) {
    const demo = await manifestsIn(cluster, `own-${how}-${elsewhere}`);
    demo.declare({
      appSetup: `{apiVersion: v1, kind: Namespace, metadata: {name: ${demo.namespace}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {key: hunter2}}`,
      app:
        web("acme/web:1") +
        config("settings", "one") +
        `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${how}, namespace: ${elsewhere}}}`,
    });
    const { stdout } = await demo.qvs("diff", "--format", "json");
    writeFileSync(join(demo.directory, "plan.json"), stdout);
    const [, digest = ""] = /"digest": *"([0-9a-f]{64})"/.exec(stdout) ?? [];
    const expecting =
      how === "digest" ? ["--expect-digest", digest] : ["--expect-plan", "plan.json"];
    const { code, stderr } = await demo.qvs("deploy", ...expecting);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain("does less than");
  }
});

test("a namespace that the deployment creates before its lock is reported as created, as in the preview", async () => {
  const demo = await manifestsIn(cluster, `own-told-${Date.now()}`);
  const name = demo.namespace;
  demo.declare({
    appSetup: `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}}}`,
    app: config("settings", "one"),
  });
  expect((await demo.qvs("diff")).stdout).toContain("2 new objects");
  const { code, stderr } = await demo.qvs("deploy");
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("Plan: 2 to create or update, 0 to delete, 0 unchanged");
  expect(stderr).toContain(`Namespace ${name}: created`);
  expect(stderr).toMatch(/^Succeeded in .*: 2 created$/m);
  const shown = await demo.qvs("releases", "show", "1");
  expect(shown.stdout, shown.stderr).toContain(`created  Namespace ${name}\n`);
  expect((await demo.qvs("deploy")).stderr).toContain("2 unchanged");
});
