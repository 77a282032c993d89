import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { temporaryRepository } from "../support/git/temporary-repository.ts";
import { type QvsResult, runQvs } from "../support/qvs/run-qvs.ts";

/** Tests the owner of a deployment, allowed deletions, and errors before any change. */
const cluster = useCluster();

interface Application {
  /** Replaces its resources. The keys are their IDs. */
  declare(resources: JsonObject): void;
  moveConfig(to: string): void;
  qvs(command: string, ...args: readonly string[]): Promise<QvsResult>;
}

/**
 * Creates a repository in a directory called shop, so that all of them have deployments called
 * shop.
 */
function applicationIn(namespace: string, remote?: string): Application {
  const repository = temporaryRepository({
    ".valuestream/qvs.yaml": config,
    "adapters/cue.mod/module.cue": `module: "acme.example/adapters"\nlanguage: version: "v0.12.0"\n`,
  });
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: repository.directory });
  git("init", "--quiet");
  if (remote !== undefined) git("remote", "add", "origin", remote);
  let path = ".valuestream/qvs.yaml";
  const configFor = (command: string) => (command === "rollback" ? [] : ["-c", path]);
  return {
    declare: (resources) =>
      repository.write(
        "adapters/plain/main.cue",
        `package plain\nDesignPattern: {parameters: {}, resources: app: ${JSON.stringify(resources)}}\n`,
      ),
    moveConfig: (to) => {
      repository.write(to, config.replace("../adapters", "../../adapters"));
      path = to;
    },
    qvs: (command, ...args) =>
      runQvs(repository.directory, [command, ...configFor(command), "-n", namespace, ...args], {
        KUBECONFIG: cluster.kubeconfigFor("admin"),
      }),
  };
}

const config = `
modules: [{name: acme.example/adapters, local: {path: ../adapters}}]
designPatterns: [{pattern: acme.example/adapters/plain, params: {}}]
`;

const configMap = (name: string, data: JsonObject = { of: name }) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

async function configMapsIn(namespace: string): Promise<readonly string[]> {
  const names = await cluster.kubectl("get", "configmaps", "-n", namespace, "-o", "name");
  return names
    .split("\n")
    .map((name) => name.replace(/.*\//, ""))
    .filter((name) => name !== "" && name !== "kube-root-ca.crt")
    .sort();
}

test("an application can't deploy under the name of another one", async () => {
  const namespace = await cluster.namespace("identity");
  const shop = applicationIn(namespace, "https://git.acme.example/acme/shop.git");
  shop.declare({ a: configMap("acme") });
  expect((await shop.qvs("deploy")).code).toBe(0);

  const bakery = applicationIn(namespace, "git@git.acme.example:bakery/shop.git");
  bakery.declare({ a: configMap("bakery") });
  const preview = await bakery.qvs("diff");
  expect(preview.code).toBe(1);
  expect(preview.stderr).toContain("last source: acme/shop:");
  const refused = await bakery.qvs("deploy");
  expect(refused).toEqual({
    code: 1,
    stdout: "",
    stderr: `\
error[deployment-source-mismatch]: "shop" in namespace ${namespace} was last deployed from another source
  last source: acme/shop:.valuestream/qvs.yaml
  this source: bakery/shop:.valuestream/qvs.yaml
  why: Two applications with the same name and namespace would delete each other's objects
  help: Give one of them another name or namespace
  help: or adopt it with --adopt if the application has moved here

Nothing was changed.
`,
  });
  expect(await configMapsIn(namespace)).toEqual(["acme"]);

  expect((await bakery.qvs("deploy", "--adopt")).stdout).toBe("shop release 2 succeeded\n");
  expect(await configMapsIn(namespace)).toEqual(["bakery"]);
  expect((await bakery.qvs("deploy")).code).toBe(0);
  const back = await shop.qvs("rollback", "--to", "1");
  expect(back.stderr).toContain("last source: bakery/shop:.valuestream/qvs.yaml");
  expect((await shop.qvs("rollback", "--to", "1", "--adopt")).code).toBe(0);
  expect((await shop.qvs("deploy")).code).toBe(0);
  expect(await configMapsIn(namespace)).toEqual(["acme"]);
});

test("a moved config is adopted with a flag", async () => {
  const namespace = await cluster.namespace("identity");
  const shop = applicationIn(namespace);
  shop.declare({ a: configMap("a") });
  expect((await shop.qvs("deploy")).code).toBe(0);
  shop.moveConfig("shop/.valuestream/qvs.yaml");
  expect((await shop.qvs("deploy")).stderr).toContain(
    "last source: .valuestream/qvs.yaml\n  this source: shop/.valuestream/qvs.yaml\n",
  );
  expect((await shop.qvs("deploy", "--adopt")).code).toBe(0);
  expect((await shop.qvs("deploy")).code).toBe(0);
});

test("a config that declares nothing deletes everything only with a flag", async () => {
  const namespace = await cluster.namespace("identity");
  const shop = applicationIn(namespace);
  shop.declare({ a: configMap("a"), b: configMap("b") });
  expect((await shop.qvs("deploy")).code).toBe(0);
  shop.declare({});
  expect(await shop.qvs("deploy")).toEqual({
    code: 1,
    stdout: "",
    stderr: `\
error[empty-config]: "shop" no longer declares any object
  objects: ConfigMap ${namespace}/a, ConfigMap ${namespace}/b
  why: All 2 live objects would be deleted
  help: Find out what made the config empty
  help: or delete all its objects with --allow-delete=everything

Nothing was changed.
`,
  });
  expect(await configMapsIn(namespace)).toEqual(["a", "b"]);
  expect((await shop.qvs("deploy", "--allow-delete=everything")).code).toBe(0);
  expect(await configMapsIn(namespace)).toEqual([]);
});

test("plain data that the API server rejects blocks the deployment before any change", async () => {
  const namespace = await cluster.namespace("identity");
  const shop = applicationIn(namespace);
  shop.declare({ a: configMap("a"), b: configMap("b"), c: configMap("c", { "a/b": "" }) });
  const { code, stdout, stderr } = await shop.qvs("deploy");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(`ConfigMap ${namespace}/c`);
  expect(stderr).toContain("Nothing was changed.");
  expect(await configMapsIn(namespace)).toEqual([]);
});

test("an object is deleted even if its version is no longer served", async () => {
  const namespace = await cluster.namespace("identity");
  const group = `${namespace}.example`;
  await serveWidgets(group, ["v1beta1", "v1"]);
  const shop = applicationIn(namespace);
  const widget = { apiVersion: `${group}/v1beta1`, kind: "Widget", metadata: { name: "w" } };
  shop.declare({ a: configMap("a"), w: widget });
  expect((await shop.qvs("deploy")).code).toBe(0);

  await serveWidgets(group, ["v1"]);
  shop.declare({ a: configMap("a") });
  const { code, stderr } = await shop.qvs("deploy");
  expect(code, stderr).toBe(0);
  const left = await cluster.kubectl("get", `widgets.${group}`, "-n", namespace, "-o", "name");
  expect(left).toBe("");
});

/**
 * Creates widgets that are stored as v1 and served in these versions. Resolves when the cluster
 * reports that.
 */
async function serveWidgets(group: string, served: readonly string[]): Promise<void> {
  const versions = ["v1beta1", "v1"].map((name) => ({
    name,
    served: served.includes(name),
    storage: name === "v1",
    schema: { openAPIV3Schema: { type: "object" } },
  }));
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: "Namespaced", names: { kind: "Widget", plural: "widgets" }, versions },
  };
  await cluster.apply("default", JSON.stringify(definition));
  const versionsServed = async () => {
    const answer = await cluster.kubectl("get", "--raw", `/apis/${group}`).catch(() => "{}");
    const list: readonly { version: string }[] = JSON.parse(answer).versions ?? [];
    return list.map(({ version }) => version).sort();
  };
  await expect.poll(versionsServed).toEqual([...served].sort());
}

test("the deployment matches its preview for any encoding of Base64", async () => {
  const namespace = await cluster.namespace("identity");
  const shop = applicationIn(namespace);
  const secrets = (text: string) =>
    Object.fromEntries(["a", "b", "c"].map((name) => [name, secret(name, text)]));
  shop.declare(secrets("aGVsbG8="));
  expect((await shop.qvs("deploy")).code).toBe(0);

  shop.declare(secrets("aGVs\nbG8=\n"));
  expect((await shop.qvs("diff", "--exit-code")).code).toBe(0);
  expect((await shop.qvs("deploy")).stderr).toContain("3 unchanged");

  shop.declare({ ...secrets("d29ybGQ="), d: configMap("d"), e: configMap("e") });
  const preview = await shop.qvs("diff", "--format", "json");
  const digest = /"digest": *"([0-9a-f]{64})"/.exec(preview.stdout)?.[1] ?? "no digest";
  const { code, stderr } = await shop.qvs("deploy", "--expect-digest", digest);
  expect(code, stderr).toBe(0);
});

const secret = (name: string, text: string) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  data: { a: text },
});
