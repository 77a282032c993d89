import { afterAll, beforeAll, expect, test } from "vitest";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startCompiler } from "../../support/cue/native.ts";
import { controlC, enter, startOnTerminal } from "../../support/qvs/on-terminal.ts";
import { runHere } from "../../support/qvs/run-here.ts";

/**
 * Tests that each successful release can be restored exactly, from the records alone. qvs first
 * reports the parts that can't be restored.
 */
const cluster = useCluster();
const compiler = startCompiler();
afterAll(() => compiler.close());

const undo: (() => void)[] = [];
afterAll(() => {
  for (const each of undo) each();
});

/** Runs qvs in this process, because there are many runs. */
function demoIn(): Promise<Manifests> {
  return manifestsIn(cluster, undefined, {
    onFinished: (work) => undo.push(work),
    run: (directory, args, env) => runHere(directory, args, compiler, env),
  });
}

const settings = (name: string, value: string) => `
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  labels: {tier: "${value}"}
  annotations: {vs.axis-dev.io/keepOnDelete: settings, note: "of ${name}"}
data: {value: "${value}"}
`;
const service = (port: number, extra = "") => `
apiVersion: v1
kind: Service
metadata: {name: web${extra}, annotations: {port-${port}: "yes"}}
spec: {selector: {app: web}, ports: [{port: ${port}}]}
`;
const login = (password: string) => `
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: ${password}}
`;
const web = (config: string, more: string, labels: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {${labels}}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, ${labels}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - {name: web, image: "acme/web:1", envFrom: [{configMapRef: {name: ${config}}}]${more}}
`;
const migration = `
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, annotations: {vs.axis-dev.io/migration: "orders: adds totals"}}
spec:
  backoffLimit: 0
  template:
    metadata: {labels: {app: migrate}}
    spec: {restartPolicy: Never, containers: [{name: migrate, image: "acme/migrate:1"}]}
`;

// biome-ignore lint/suspicious/noExplicitAny: any object of the cluster
type AnyObject = any;

/**
 * Returns all objects by kind and name. Excludes fields that only the API server or controllers
 * write, and includes which fields qvs owns.
 */
async function live(demo: Manifests): Promise<Record<string, unknown>> {
  const kinds = "services,configmaps,secrets,deployments.apps";
  const text = await demo.kubectl("get", kinds, "-o", "json", "--show-managed-fields");
  const items: readonly AnyObject[] = JSON.parse(text).items;
  return Object.fromEntries(
    items
      .filter(({ metadata }) => metadata.labels?.["vs.axis-dev.io/revision"] === undefined)
      .filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
      .map((object) => [`${object.kind}/${object.metadata.name}`, asWritten(object)]),
  );
}

function asWritten({ status: _, metadata, ...object }: AnyObject) {
  const { uid: _u, resourceVersion: _r, creationTimestamp: _c, generation: _g, ...rest } = metadata;
  const { managedFields, annotations, ...named } = rest;
  // The Deployment's controller sets the number of ReplicaSets here.
  const { "deployment.kubernetes.io/revision": _d, ...others } = annotations ?? {};
  // The API server assigns these when it creates a Service.
  const { clusterIP: _i, clusterIPs: _p, ...spec } = object.spec ?? {};
  const owned = managedFields
    .filter(({ operation }: AnyObject) => operation === "Apply")
    .map(({ manager, fieldsV1 }: AnyObject) => ({ manager, fieldsV1 }));
  return { ...object, spec, metadata: { ...named, annotations: others }, owned };
}

test("every release is restored field by field, without a config that compiles or adapters, and kept objects stay", async () => {
  const demo = await demoIn();
  const states: Record<string, unknown>[] = [];
  const versions = [
    [settings("settings-1", "one"), service(80), login("one"), web("settings-1", "", 'a: "1"')],
    [
      ...[settings("settings-2", "two"), service(81), service(90, "-extra"), login("two")],
      web("settings-2", ', env: [{name: A, value: "1"}], ports: [{containerPort: 80}]', 'b: "1"'),
    ],
    [settings("settings-3", "three"), service(82), web("settings-3", ", args: [x]", 'a: "2"')],
  ];
  for (const objects of versions) {
    demo.declare({ app: objects.join("---") });
    const deployed = await demo.qvs("deploy");
    expect(deployed, deployed.stderr).toMatchObject({ code: 0 });
    states.push(await live(demo));
  }
  demo.write(".valuestream/qvs.yaml", "designPatterns: [{pattern: gone.example/adapters/nothing}]");
  demo.write("adapters/cue.mod/module.cue", "this is no CUE");
  expect(await demo.qvs("deploy")).toMatchObject({ code: 1 });
  const all = Object.entries(states[2] ?? {}).filter(([name]) => name.startsWith("ConfigMap"));
  expect(all).toHaveLength(3);
  for (const [revision, index] of [
    [1, 0],
    [2, 1],
    [3, 2],
    [1, 0],
  ] as const) {
    const back = await demo.qvs("rollback", "--to", String(revision));
    expect(back, back.stderr).toMatchObject({ code: 0 });
    // Objects that were kept since then remain.
    expect(await live(demo)).toEqual({ ...Object.fromEntries(all), ...states[index] });
  }
});

/** Three releases. The second one contains a migration. */
let migrated: Manifests;

beforeAll(async () => {
  migrated = await demoIn();
  migrated.declare({ app: service(80) });
  await migrated.qvs("deploy");
  migrated.declare({ app: `${migration}---\n${service(81)}` });
  expect(await migrated.qvs("deploy")).toMatchObject({ code: 0 });
  migrated.declare({ app: `${migration}---\n${service(82)}` });
  expect(await migrated.qvs("deploy")).toMatchObject({ code: 0 });
});

function onTerminal(...args: readonly string[]) {
  const env = { KUBECONFIG: cluster.kubeconfigFor("admin") };
  return startOnTerminal(migrated.directory, ["rollback", "-n", migrated.namespace, ...args], env);
}

test("a terminal shows the plan first, and only a yes rolls back", async () => {
  await migrated.writes();
  for (const [keys, code, told] of [
    [enter, 1, "Nothing was changed."],
    [`no${enter}`, 1, "Nothing was changed."],
    [controlC, 130, "Canceled. Nothing was changed."],
  ] as const) {
    const asked = onTerminal("--to", "previous");
    await asked.shows("Roll back demo to release 2? (y/N)");
    asked.type(keys);
    const { code: ended, screen } = await asked.result;
    expect(screen).toContain("~ update Service");
    expect(screen).toContain(told);
    expect(ended).toBe(code);
  }
  expect(await migrated.writes()).toEqual([]);
  const agreed = onTerminal("--to", "previous");
  await agreed.shows("(y/N)");
  agreed.type(`y${enter}`);
  const { code, screen } = await agreed.result;
  expect(screen).toContain("demo release 4 succeeded (rollback to release 2)");
  expect(code).toBe(0);
  const unasked = await onTerminal("--to", "3", "--yes").result;
  expect(unasked.screen).not.toContain("(y/N)");
  expect(unasked.screen).toContain("demo release 5 succeeded (rollback to release 3)");
  const nothing = await onTerminal("--to", "3").result;
  expect(nothing.screen).toContain("demo release 5 unchanged");

  // Their live objects are equal, because the second release keeps the object of the first.
  for (const objects of [`${settings("settings-1", "one")}---`, ""]) {
    migrated.declare({ app: `${objects}${migration}---\n${service(82)}` });
    expect(await migrated.qvs("deploy")).toMatchObject({ code: 0 });
  }
  const kept = onTerminal("--to", "6");
  await kept.shows("Roll back demo to release 6? (y/N)");
  kept.type(enter);
  expect((await kept.result).code).toBe(1);
});

test("a migration since then blocks the rollback before any change, until a flag allows it", async () => {
  const demo = migrated;
  await demo.writes();
  const refused = await demo.qvs("rollback", "--to", "1");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("Job");
  expect(refused.stderr).toContain("Its annotation vs.axis-dev.io/migration: orders: adds totals");
  const shown = await demo.qvs("rollback", "--to", "1", "--dry-run");
  expect(shown.code).toBe(1);
  expect(shown.stdout).toContain("migration-completed");
  const refusedHere = await onTerminal("--to", "1").result;
  expect(refusedHere.screen).toContain("--allow-irreversible");
  expect(refusedHere.screen).not.toContain("(y/N)");
  expect(refusedHere.code).toBe(1);
  expect(await demo.writes()).toEqual([]);

  const asked = onTerminal("--to", "1", "--allow-irreversible");
  await asked.shows("A rollback can't restore all of release 1.");
  asked.type(`y${enter}`);
  await asked.shows("Type demo, or press Ctrl-C");
  asked.type(`\u007fdemo${enter}`);
  const back = await asked.result;
  expect(back.screen).toContain("(rollback to release 1)");
  expect(back.screen).toMatch(/note\[[a-z-]+\]: Job/);
  expect(back.code).toBe(0);
});

const definition = (served: boolean) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.going-back.example}
spec:
  group: going-back.example
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
    - {name: v1, served: true, storage: true, schema: &schema {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
    - {name: v1beta1, served: ${served}, storage: false, schema: *schema}
`;
const widget = (version: string, size: number) => `
apiVersion: going-back.example/${version}
kind: Widget
metadata: {name: widget}
spec: {size: ${size}}
`;
const claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`;
const stateful = (size: string, whenDeleted: string, annotations = "") => `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, annotations: {${annotations}}}
spec:
  serviceName: db
  replicas: 1
  persistentVolumeClaimRetentionPolicy: {whenDeleted: ${whenDeleted}, whenScaled: Retain}
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: db, image: "acme/db:1"}]}
  volumeClaimTemplates:
    - {metadata: {name: files}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ${size}}}}}
`;
const replace = 'vs.axis-dev.io/replace: "true"';

test("data of PersistentVolumeClaims, removed versions and immutable fields of a StatefulSet are reported before any change", async () => {
  const demo = await demoIn();
  await cluster.apply("default", definition(true));
  const wait = ["--for=condition=Established", "crd/widgets.going-back.example"];
  await cluster.kubectl("wait", ...wait, "--timeout=30s");
  const deploy = async (...objects: readonly string[]) => {
    demo.declare({ app: objects.join("---") });
    const deployed = await demo.qvs("deploy", "--allow-delete", "PersistentVolumeClaim");
    expect(deployed, deployed.stderr).toMatchObject({ code: 0 });
  };
  // The second release deletes the first one's PersistentVolumeClaims, although it would retain its
  // own.
  await deploy(claim, widget("v1beta1", 1), stateful("1Gi", "Retain", replace));
  await deploy(widget("v1", 2), stateful("2Gi", "Delete", replace));
  await demo.writes();

  const shown = await demo.qvs("rollback", "--to", "1", "--dry-run");
  expect(shown.code).toBe(1);
  const place = demo.namespace;
  expect(shown.stdout).toContain(
    `PersistentVolumeClaim ${place}/data is created again and is empty`,
  );
  expect(shown.stdout).toContain(`StatefulSet ${place}/db is created again with empty claims`);
  expect(shown.stderr).toContain("accept the loss and roll back with --allow-irreversible");
  expect(await demo.qvs("rollback", "--to", "1")).toMatchObject({ code: 1, stdout: "" });

  await cluster.apply("default", definition(false));
  await untilUnserved(demo);
  const unserved = await demo.qvs("rollback", "--to", "1", "--allow-irreversible");
  expect(unserved.code).toBe(1);
  expect(unserved.stderr).toContain(
    `Widget ${place}/widget: going-back.example/v1beta1 is no longer served by the cluster`,
  );
  expect(await demo.writes()).toEqual([]);

  await deploy(widget("v1", 2), stateful("2Gi", "Delete"));
  await deploy(widget("v1", 3), stateful("3Gi", "Delete", replace));
  await demo.writes();
  const immutable = await demo.qvs("rollback", "--to", "3");
  expect(immutable, immutable.stderr).toMatchObject({ code: 0 });
  expect(immutable.stderr).toContain(
    `StatefulSet ${place}/db: spec.volumeClaimTemplates keeps its live value`,
  );

  const going = ["rollback", "--to", "2", "--allow-irreversible"] as const;
  const guarded = await demo.qvs(...going);
  expect(guarded.code).toBe(1);
  expect(guarded.stderr).toContain(
    `StatefulSet ${place}/db: its deletion would also delete PersistentVolumeClaim ${place}/files-db-0`,
  );
  const back = await demo.qvs(...going, "--allow-delete", "PersistentVolumeClaim");
  expect(back, back.stderr).toMatchObject({ code: 0 });
  expect(back.stderr).toContain(`StatefulSet ${place}/db is created again with empty claims`);
  const path = "jsonpath={.spec.volumeClaimTemplates[0].spec.resources.requests.storage}";
  expect(await demo.kubectl("get", "statefulset", "db", "-o", path)).toBe("2Gi");
});

/** Waits until the API server no longer serves a version. */
async function untilUnserved(demo: Manifests): Promise<void> {
  const path = "/apis/going-back.example/v1beta1";
  const isServed = () =>
    demo.kubectl("get", "--raw", path).then(
      () => true,
      () => false,
    );
  await expect.poll(isServed).toBe(false);
}
