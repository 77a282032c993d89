import { afterAll, beforeAll, expect, test } from "vitest";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { startCompiler } from "../support/cue/native.ts";
import { temporaryRepository } from "../support/git/temporary-repository.ts";
import { runHere } from "../support/qvs/run-here.ts";
import { startQvs } from "../support/qvs/run-qvs.ts";

/**
 * Tests twelve deployments in three namespaces with a history. Every answer is compared with
 * kubectl's answer about the same cluster.
 */
const cluster = useCluster();
const compiler = startCompiler();
const undo: (() => void)[] = [];
afterAll(async () => {
  for (const each of undo) each();
  await compiler.close();
});

const hidden = "correct-horse-battery";
const onTerminals = "a‮b\u001b[31m::error::c";

const adapters = {
  ".valuestream/qvs.yaml": `
params: [{name: name, type: string}, {name: objects, type: object}]
modules: [{name: team.example/adapters, local: {path: ../adapters}}]
designPatterns: [{pattern: team.example/adapters/app, params: {name: $(params.name), objects: $(params.objects)}}]
`,
  "adapters/cue.mod/module.cue": `module: "team.example/adapters"\nlanguage: version: "v0.12.0"\n`,
  "adapters/config/main.cue": `
package config

DesignPattern: {
	parameters: name: string
	resources: app: settings: {
		provider: "kubernetes", apiVersion: "v1", kind: "ConfigMap"
		metadata: {name: parameters.name, labels: tier: "config"}
		data: colour: "blue"
	}
}
`,
  "adapters/app/main.cue": `
package app

import "team.example/adapters/config"

DesignPattern: {
	parameters: {name: string, objects: {[string]: _}}
	composites: [{pattern: config.DesignPattern, params: name: parameters.name}]
	resources: app: {for id, manifest in parameters.objects {(id): manifest & {provider: "kubernetes"}}}
}
`,
};

const kept = { metadata: { annotations: { "vs.axis-dev.io/keepOnDelete": "settings" } } };
const login = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "login" },
  stringData: { password: hidden },
};
const echo = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "echo" },
  data: { hostile: onTerminals },
};
/** Objects with Pods that fit on no node, so they are never ready. */
const stuck = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        nodeSelector: { place: "nowhere" },
        containers: [{ name: "web", image: "web.example/web:1.0.0" }],
      },
    },
  },
};

type Objects = Readonly<Record<string, object>>;
type Namespaces = Readonly<Record<"a" | "b" | "c", string>>;

let at: Namespaces;
let directory: string;
/** An unrelated directory, without a deployment. */
let elsewhere: string;
let kubeconfig: string;

beforeAll(async () => {
  const [a, b, c] = await Promise.all(["qa", "qb", "qc"].map((name) => cluster.namespace(name)));
  at = { a: a ?? "", b: b ?? "", c: c ?? "" };
  const repository = temporaryRepository(adapters, (work) => undo.push(work));
  const names = ["shop", "cart", "broken", "killed", "gone", ...plain];
  const entries = names.map((name) => `  - {name: ${name}, config: qvs.yaml}\n`);
  repository.write(".valuestream/deployments.yaml", `deployments:\n${entries.join("")}`);
  directory = repository.directory;
  const notes = temporaryRepository({ "notes.txt": "" }, (work) => undo.push(work));
  elsewhere = notes.directory;
  kubeconfig = cluster.kubeconfigFor("admin");
  await Promise.all([shop(), cart(), broken(), killed(), gone(), ...plainOnes()]);
});

const plain = ["p1", "p2", "p3", "p4", "p5", "p6"];

/**
 * Returns ordinary deployments. The seventh has the same name as another one in another namespace.
 */
function plainOnes() {
  return [...plain.map((name) => deploy(name, at.c)), deploy("shop", at.b)];
}

async function shop(): Promise<void> {
  const objects = { settings: kept, login, echo };
  await deploy("shop", at.a, { name: "settings-1", objects });
  await deploy("shop", at.a, { name: "settings-2", objects });
  await deploy("shop", at.a, { name: "settings-3", objects });
  expect((await qvs(["rollback", "-d", "shop", "-n", at.a, "--to", "1"])).code).toBe(0);
}

async function cart(): Promise<void> {
  for (let run = 0; run < 11; run += 1) await deploy("cart", at.a);
}

async function broken(): Promise<void> {
  await deploy("broken", at.a);
  const failed = await deployWith("broken", at.a, { objects: { web: stuck } }, "--timeout", "1s");
  expect(failed.code).toBe(1);
}

async function killed(): Promise<void> {
  await deploy("killed", at.b);
  const args = await argsOf("killed", at.b, { objects: { web: stuck } });
  const running = startQvs(directory, ["deploy", ...args], { KUBECONFIG: kubeconfig });
  await running.says("Deployment");
  running.child.kill("SIGKILL");
  await running.result;
}

/** Creates a deployment with two objects. One is deleted, and the other loses its labels. */
async function gone(): Promise<void> {
  await deploy("gone", at.b, { objects: { echo: { ...echo, metadata: { name: "echo-gone" } } } });
  await cluster.kubectl("-n", at.b, "delete", "configmap", "gone-settings");
  const labels = "vs.axis-dev.io/deployment-";
  await cluster.kubectl("-n", at.b, "label", "configmap", "echo-gone", labels);
}

interface Wanted {
  readonly name?: string;
  readonly objects?: Objects;
}

async function argsOf(deployment: string, namespace: string, wanted: Wanted) {
  const { name = `${deployment}-settings`, objects = {} } = wanted;
  const params = [`name=${name}`, `objects=${JSON.stringify(objects)}`];
  return ["-d", deployment, "-n", namespace, ...params.flatMap((each) => ["--param", each])];
}

async function deployWith(
  deployment: string,
  namespace: string,
  wanted: Wanted = {},
  ...more: readonly string[]
) {
  return qvs(["deploy", ...(await argsOf(deployment, namespace, wanted)), ...more]);
}

async function deploy(...how: Parameters<typeof deployWith>): Promise<void> {
  const { code, stderr } = await deployWith(...how);
  expect(code, stderr).toBe(0);
}

/** Runs qvs in the repository. Queries run in an unrelated directory. */
function qvs(args: readonly string[]) {
  return runHere(directory, [...args, "--quiet"], compiler, { KUBECONFIG: kubeconfig });
}

async function ask(...args: readonly string[]) {
  const found = await runHere(elsewhere, args, compiler, { KUBECONFIG: kubeconfig });
  for (const text of [hidden, Buffer.from(hidden).toString("base64"), "\u001b", "‮"]) {
    expect(`${found.stdout}${found.stderr}`).not.toContain(text);
  }
  return found;
}

// biome-ignore lint/suspicious/noExplicitAny: what JSON holds is what the tests compare
type AnyJson = any;

async function askJson(...args: readonly string[]): Promise<AnyJson> {
  const { stdout, stderr } = await ask(...args, "--format", "json");
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

async function truth(...args: readonly string[]): Promise<readonly AnyJson[]> {
  return JSON.parse(await cluster.kubectl("get", ...args, "-o", "json")).items;
}

const records = "-l=app.kubernetes.io/managed-by=qvs,vs.axis-dev.io/revision";

/**
 * Returns `namespace/name`, the newest successful release and the number of releases, from kubectl.
 */
async function recorded(): Promise<readonly string[]> {
  const secrets = await truth("secrets", "-A", records);
  const heads = secrets.filter(({ metadata }) => ours(metadata.namespace));
  const groups = Map.groupBy(
    heads,
    ({ metadata }) => `${metadata.namespace}/${metadata.labels["vs.axis-dev.io/deployment"]}`,
  );
  return [...groups].map(([name, all]) => `${name} ${newestSucceeded(all)} ${all.length}`).sort();
}

function newestSucceeded(secrets: readonly AnyJson[]): number {
  const succeeded = secrets.filter((each) => labelOf(each, "status") === "succeeded");
  return Math.max(...succeeded.map((each) => Number(labelOf(each, "revision"))));
}

function labelOf({ metadata }: AnyJson, name: string): string {
  return metadata.labels[`vs.axis-dev.io/${name}`];
}

function ours(namespace: string): boolean {
  return Object.values(at).includes(namespace);
}

const kinds = "configmaps,secrets,deployments.apps";
const managed = "-l=vs.axis-dev.io/deployment,!vs.axis-dev.io/revision";

/** Returns `Kind namespace/name` of all deployed objects, from kubectl. */
async function objects(): Promise<readonly string[]> {
  const labelled = await truth(kinds, "-A", managed);
  const names = labelled.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name]);
  const found = names.filter(([, namespace]) => ours(namespace ?? ""));
  return [...found, ["ConfigMap", at.b, "echo-gone"]].map(nameOf).sort();
}

function nameOf([kind, namespace, name]: readonly AnyJson[]): string {
  return `${kind} ${namespace}/${name}`;
}

test("all deployments of the cluster are listed with their current release and health", async () => {
  const { deployments } = await askJson("get", "deployments", "-A");
  const found = deployments.filter(({ namespace }: AnyJson) => ours(namespace));
  const told = found.map(
    (each: AnyJson) => `${each.namespace}/${each.name} ${each.release.revision} ${each.releases}`,
  );
  expect(told.toSorted()).toEqual(await recorded());
  expect(told).toHaveLength(12);
  const sick = found.filter(({ isHealthy }: AnyJson) => !isHealthy);
  const wrong = sick.flatMap(({ name, unhealthy }: AnyJson) =>
    unhealthy.map(({ object, state }: AnyJson) => `${name}: ${object} ${state}`),
  );
  expect(wrong.toSorted()).toEqual([
    `broken: apps:Deployment::${at.a}/web waiting`,
    `gone: core:ConfigMap::${at.b}/gone-settings missing`,
    `killed: apps:Deployment::${at.b}/web waiting`,
  ]);
  const { holderIdentity } = JSON.parse(
    await cluster.kubectl("-n", at.b, "get", "lease", "qvs-killed", "-o", "json"),
  ).spec;
  const locks = found.filter(({ lock }: AnyJson) => lock !== null);
  expect(locks.map(({ name, lock }: AnyJson) => [name, lock.holder])).toEqual([
    ["killed", holderIdentity],
  ]);
});

test("drifted deployments are shown on request", async () => {
  const patch = '{"data":{"colour":"red"}}';
  await cluster.kubectl("-n", at.c, "patch", "configmap", "p2-settings", "-p", patch);
  const told = async (...flags: readonly string[]) => {
    const { deployments } = await askJson("get", "deployments", "-n", at.c, ...flags);
    const known = deployments.filter(({ drift }: AnyJson) => drift !== null);
    return known.map(({ name, drift }: AnyJson) => `${name} ${drift.status}`);
  };
  expect(await told()).toEqual([]);
  expect(await told("--drift")).toEqual(
    plain.map((name) => `${name} ${name === "p2" ? "drifted" : "clean"}`),
  );
});

test("the text of the deployments in a namespace shows the important facts of each", async () => {
  const { stdout } = await ask("get", "deployments", "-n", at.a);
  // The column's width depends on the age.
  const untimed = stdout
    .replace(/CHANGED +/, "CHANGED   ")
    .replaceAll(/(?:just now|\d+ minutes? ago)( *)/g, (_, spaces) => `now${spaces && "  "}`);
  expect(untimed.replaceAll(at.a, "qa")).toBe(
    `NAMESPACE   NAME    RELEASE  CHANGED   STATE
qa  broken  1        now  1 of 2 not healthy
    release 2: failed, now
    Deployment web: new 1/1, 0 ready; Pod ${await podOf(at.a)}: Unschedulable: ${await unschedulable(at.a)}
qa  cart    1        now  healthy
qa  shop    4        now  healthy
3 deployments, 2 healthy
`.replaceAll("NAMESPACE   ", `NAMESPACE${" ".repeat(at.a.length - 7)}`),
  );
});

async function podOf(namespace: string): Promise<string> {
  const [pod] = await truth("pods", "-n", namespace, "-l=app=web");
  return pod.metadata.name;
}

async function unschedulable(namespace: string): Promise<string> {
  const [pod] = await truth("pods", "-n", namespace, "-l=app=web");
  const [condition] = pod.status.conditions;
  return condition.message.replace(/[.,]? (no new claims to deallocate, )?preemption: .*$/s, "");
}

test("every object is listed with its deployment, release and adapter", async () => {
  const { instances } = await askJson("get", "instances", "-A");
  const found = instances.filter(({ releaseNamespace }: AnyJson) => ours(releaseNamespace));
  const present = found.filter(({ state }: AnyJson) => state !== "missing");
  const names = present.map((each: AnyJson) => nameOf([each.kind, each.namespace, each.name]));
  expect(names.toSorted()).toEqual(await objects());
  const settings = found.find(({ name }: AnyJson) => name === "cart-settings");
  expect(settings).toMatchObject({
    deployment: "cart",
    release: 1,
    resource: "app/settings",
    paths: [["team.example/adapters/app", "team.example/adapters/config"]],
  });
});

test("kept objects are listed with their revision", async () => {
  const { instances } = await askJson("get", "instances", "cm", "-n", at.a, "-d", "shop");
  const told = instances
    .filter(({ keepOnDelete }: AnyJson) => keepOnDelete !== null)
    .map((each: AnyJson) => `${each.name} ${each.keepOnDelete.revision} ${each.release}`);
  const live = await truth("configmaps", "-n", at.a, managed);
  const annotated = live
    .filter(({ metadata }) => metadata.name.startsWith("settings-"))
    .map(({ metadata }) => {
      const declared = metadata.name === "settings-1" ? "4" : "null";
      return `${metadata.name} ${metadata.annotations["vs.axis-dev.io/revision"]} ${declared}`;
    });
  expect(annotated).toHaveLength(3);
  expect(told.toSorted()).toEqual(annotated.toSorted());
});

test("the kinds in use are listed", async () => {
  const { types } = await askJson("get", "types", "-n", at.a);
  const inNamespace = await truth(kinds, "-n", at.a, managed);
  const counts = Map.groupBy(inNamespace, ({ kind }) => kind);
  expect(types.map(({ kind, objects }: AnyJson) => [kind, objects])).toEqual(
    ["ConfigMap", "Deployment", "Secret"].map((kind) => [kind, counts.get(kind)?.length]),
  );
});

test.each<[string, readonly string[], readonly string[]]>([
  ["a kind", ["--kind", "deploy"], ["broken"]],
  ["a label", ["-l", "tier=config"], ["broken", "cart", "shop"]],
  ["no such label", ["-l", "tier!=config,!app"], ["broken", "shop"]],
  ["an adapter", ["--adapter", "config"], ["broken", "cart", "shop"]],
  ["health", ["--unhealthy"], ["broken"]],
  ["a deployment", ["-d", "cart"], ["cart"]],
])("deployments are selected by %s", async (_, filter, expected) => {
  const { deployments } = await askJson("get", "deployments", "-n", at.a, ...filter);
  expect(deployments.map(({ name }: AnyJson) => name)).toEqual(expected);
});

test("the releases of a deployment are found without its namespace", async () => {
  const { releases } = await askJson("releases", "-d", "cart");
  const [secret, ...others] = await truth(
    "secrets",
    "-n",
    at.a,
    `${records},${deployment("cart")}`,
  );
  expect(others).toEqual([]);
  expect(releases).toMatchObject([{ revision: 1, isRunning: true, status: "succeeded" }]);
  expect(labelOf(secret, "status")).toBe("succeeded");
  expect(releases[0].runsWithoutChanges).toEqual({ count: 10, orMore: false });
  const seen = Date.parse(releases[0].lastSeen.at);
  expect(seen).toBeGreaterThan(Date.parse(releases[0].finishedAt));
});

function deployment(name: string): string {
  return `vs.axis-dev.io/deployment=${name}`;
}

test("the history of a deployment is listed", async () => {
  const { releases } = await askJson("releases", "-d", "shop", "-n", at.a);
  expect(releases.map(({ revision, rollbackOf }: AnyJson) => [revision, rollbackOf])).toEqual([
    [4, 1],
    [3, null],
    [2, null],
    [1, null],
  ]);
  const failed = await askJson("releases", "-d", "broken");
  expect(failed.releases[0]).toMatchObject({ status: "failed", isRunning: false });
  await cluster.kubectl(
    ...["-n", at.b, "patch", "lease", "qvs-killed", "--type=merge"],
    ...["-p", '{"spec":{"renewTime":"2020-01-01T00:00:00.000000Z"}}'],
  );
  const dead = await askJson("releases", "-d", "killed");
  expect(dead.releases[0]).toMatchObject({ status: "never ended", isRunning: false });
});

test("a release and the difference between two are shown", async () => {
  const of = ["-d", "shop", "-n", at.a];
  const { manifests, input, layout } = await askJson("releases", "show", "2", ...of);
  const names = manifests.map(({ manifest }: AnyJson) => manifest.metadata.name);
  expect(names).toEqual(["echo", "login", "settings-2"]);
  expect(manifests[1].manifest.data).toEqual({ password: "(hidden)" });
  // The value comes from the command line, so it is in no file that a reader of releases could have
  // read.
  expect(input.params.name).toBe("(hidden)");
  expect(JSON.stringify(layout)).toContain("team.example/adapters/config");
  const text = await ask("releases", "show", "2", ...of, "--manifests");
  expect(text.stdout).toContain("name: settings-2\n");
  expect((await ask("releases", "diff", "2", ...of)).stdout.replaceAll(at.a, "qa")).toBe(
    `~ renamed ConfigMap qa/settings-2 → settings-1
Release 2 → 4: 1 renamed
`,
  );
});

test("the owners of fields are listed", async () => {
  await cluster.kubectl("-n", at.c, "annotate", "configmap", "p1-settings", "note=mine");
  const { fields } = await askJson("get", "owners", "cm/p1-settings", "-n", at.c);
  const same = await askJson("get", "owners", "cm/p1-settings", "-d", "p1", "-n", at.c);
  expect(same.fields).toEqual(fields);
  const told = fields.map(({ field, owners }: AnyJson) => `${field} ${owners[0].manager}`);
  const [live] = await truth(
    "configmaps",
    "-n",
    at.c,
    "--field-selector=metadata.name=p1-settings",
  );
  expect(live).toBeDefined();
  expect(told).toContain("metadata.annotations.note kubectl-annotate");
  expect(told).toContain("data.colour qvs-p1-app");
});

test.each<[string, "a" | "b" | "c", number, string]>([
  ["cart", "a", 0, "✔ ready  ConfigMap cart-settings"],
  ["broken", "a", 1, "… waiting  Deployment web"],
  ["gone", "b", 1, "✖ missing  ConfigMap gone-settings"],
])("the exit code of status for %s shows its health", async (name, place, code, line) => {
  const found = await ask("status", "-d", name, "-n", at[place]);
  expect(found.stdout).toContain(line);
  expect(found.code).toBe(code);
});

test("waits until a deployment is ready", async () => {
  const args = ["status", "-d", "broken", "-n", at.a, "--watch"];
  const watching = startQvs(elsewhere, args, { KUBECONFIG: kubeconfig });
  await watching.says(`Deployment ${at.a}/web: waiting`);
  const patch = '{"spec":{"template":{"spec":{"nodeSelector":null}}}}';
  await cluster.kubectl("-n", at.a, "patch", "deployment", "web", "-p", patch);
  const { code, stdout, stderr } = await watching.result;
  expect(stderr).toContain(`Deployment ${at.a}/web: ready`);
  expect(stdout).toContain("✔ ready  Deployment web");
  expect(code).toBe(0);
});

test.each<[string, readonly string[], string]>([
  ["a deployment", ["releases", "-d", "crat"], 'Did you mean "cart"?'],
  ["a release", ["releases", "show", "9", "-d", "cart"], "Release 9 doesn't exist"],
  ["a kind", ["get", "instances", "configmapp", "-A"], 'Did you mean "ConfigMap"?'],
  [
    "a kind that is set twice",
    ["get", "instances", "cm", "--kind", "deploy"],
    "The kind is set by both",
  ],
  ["an adapter", ["get", "types", "-A", "--adapter", "confgi"], 'Did you mean "config"?'],
  ["an object", ["get", "owners", "cm/nothing"], "ConfigMap nothing doesn't exist in namespace"],
  ["one of two", ["status", "-d", "shop"], '"shop" is recorded in more than one namespace'],
])("an error for %s that doesn't exist suggests existing ones", async (_, args, expected) => {
  const { code, stdout, stderr } = await ask(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(expected);
  expect(stderr).toContain("help: ");
});

test("an identity with fewer permissions gets a list of the missing ones", async () => {
  const as = (user: "stranger" | "viewer", ...args: readonly string[]) =>
    runHere(elsewhere, args, compiler, { KUBECONFIG: cluster.kubeconfigFor(user) });
  const refused = await as("viewer", "get", "deployments", "-A");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('cannot list resource "secrets"');
  expect((await as("stranger", "get", "deployments", "-n", at.a)).code).toBe(1);
});

test("a rollback without a target lists the possible ones", async () => {
  const { code, stderr } = await ask("rollback", "-d", "shop", "-n", at.a);
  expect(code).toBe(1);
  expect(stderr).toContain("releases to roll back to");
  expect(stderr).toContain("○ 3  succeeded");
  expect(stderr).not.toContain("● 4");
  expect(stderr).toContain(`qvs rollback --deployment shop --namespace ${at.a} --to 3`);
});

test.each<[string, readonly string[], readonly string[]]>([
  [
    "releases to roll back to",
    ["rollback", "-d", "shop", "-n", "a", "--to"],
    ["previous", "4", "3", "2", "1"],
  ],
  [
    "but none that failed",
    ["rollback", "-d", "broken", "--namespace=a", "--to"],
    ["previous", "1"],
  ],
  ["every release to show", ["releases", "show", "-d", "broken", "-n", "a"], ["2", "1"]],
  [
    "both releases of a comparison",
    ["releases", "diff", "2", "-d", "shop", "-n", "a"],
    ["4", "3", "2", "1"],
  ],
  ["a name that exists once", ["releases", "show", "-d", "cart"], ["1"]],
  ["none for a duplicate name", ["releases", "show", "-d", "shop"], []],
  ["deployments of a namespace", ["status", "-n", "a", "-d"], ["broken", "cart", "shop"]],
  ["none if a config is needed", ["deploy", "-n", "a", "-d"], []],
])("the shell completion uses the records: %s", async (_, words, expected) => {
  const line = words.map((word) => word.replace(/^(--namespace=)?a$/, `$1${at.a}`));
  const { code, stdout } = await ask("__complete", "--", ...line, "");
  expect(code).toBe(0);
  expect(stdout.split("\n").flatMap((each) => each.split("\t")[0] || [])).toEqual(expected);
});
