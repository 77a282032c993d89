import { expect, test } from "vitest";
import { deployed, type Manifests, manifestsIn } from "../support/cluster/manifests-in.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";

const cluster = useCluster();

const keepOnDelete = "vs.axis-dev.io/keepOnDelete";

/** Returns the configuration of a version under its own name, and the Deployment that reads it. */
const version = (number: number, key = "app-config") => `
apiVersion: v1
kind: ConfigMap
metadata: {name: config-${number}, annotations: {${keepOnDelete}: ${key}}}
data: {number: "${number}"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  revisionHistoryLimit: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web:1, envFrom: [{configMapRef: {name: config-${number}}}]}]}
`;

/** Returns every ConfigMap of the deployment with its number. */
async function revisions(demo: Manifests): Promise<string> {
  const json = await demo.kubectl("get", "configmaps", "-o", "json");
  const { items } = JSON.parse(json) as {
    items: { metadata: { name: string; annotations?: Record<string, string> } }[];
  };
  return items
    .filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
    .map(({ metadata: { name, annotations = {} } }) =>
      [name, annotations["vs.axis-dev.io/revision"] ?? "none"].join(" "),
    )
    .join(", ");
}

/**
 * Returns the preview's lines about kept and deleted objects, without the namespace and random
 * names.
 */
async function aftermath(demo: Manifests, ...args: readonly string[]): Promise<readonly string[]> {
  const { stdout, code, stderr } = await demo.qvs("diff", ...args);
  expect(code, stderr).toBe(0);
  return stdout
    .replaceAll(`${demo.namespace}/`, "")
    .replaceAll(/\bweb-\w+(-\w{5})?\b/g, (_, pod) => (pod === undefined ? "web-*" : "web-*-*"))
    .split("\n")
    .filter((line) => /^[-=] (delete|keep) /.test(line));
}

async function withoutReplicaSets(demo: Manifests, count: number): Promise<void> {
  const sets = async () =>
    (await demo.kubectl("get", "replicasets", "-o", "name")).trim().split("\n").length;
  await expect.poll(sets, { interval: 500 }).toBeLessThanOrEqual(count);
}

test("kept ConfigMaps are numbered over five deployments and a rollback, and no number is used twice", async () => {
  const demo = await manifestsIn(cluster);
  for (const number of [1, 2, 3, 4, 5]) {
    demo.declare({ app: version(number) });
    await deployed(demo);
  }
  expect(await revisions(demo)).toBe("config-1 1, config-2 2, config-3 3, config-4 4, config-5 5");
  await withoutReplicaSets(demo, 2);
  expect(await aftermath(demo)).toEqual([
    "= keep   ConfigMap config-1: key app-config, revision 1, since release 2, used by no Pod or Pod template",
    "= keep   ConfigMap config-2: key app-config, revision 2, since release 3, used by no Pod or Pod template",
    "= keep   ConfigMap config-3: key app-config, revision 3, since release 4, used by no Pod or Pod template",
    "= keep   ConfigMap config-4: key app-config, revision 4, since release 5, used by ReplicaSet web-*",
  ]);

  const rollback = await demo.qvs("rollback", "--to", "3");
  expect(rollback.code, rollback.stderr).toBe(0);
  expect(await revisions(demo)).toBe("config-1 1, config-2 2, config-3 3, config-4 4, config-5 5");

  // A user deletes the highest one, which is no longer declared. Its number stays in use.
  await demo.kubectl("delete", "configmap", "config-5");
  demo.declare({ app: version(6) });
  await deployed(demo);
  expect(await revisions(demo)).toBe("config-1 1, config-2 2, config-3 3, config-4 4, config-6 6");
  await demo.writes();
  await deployed(demo);
  expect(await demo.writes()).toEqual([]);
});

test("a manually annotated object is kept, counts as 0, and is kept for any number of revisions", async () => {
  const demo = await manifestsIn(cluster);
  const plain = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {a: b}";
  demo.declare({ app: plain });
  await deployed(demo);
  await demo.kubectl("annotate", "configmap", "plain", `${keepOnDelete}=app-config`);
  demo.declare({ app: version(1) });
  const kept =
    "= keep   ConfigMap plain: key app-config, revision 0, used by no Pod or Pod template";
  expect(await aftermath(demo, "--keep-revisions", "1")).toEqual([kept]);
  await deployed(demo, "--keep-revisions", "1");
  expect(await revisions(demo)).toBe("config-1 1, plain none");
  expect(await aftermath(demo)).toEqual([
    kept.replace("revision 0", "revision 0, since release 2"),
  ]);
});

test("with two revisions to keep, older ones are deleted unless a ReplicaSet or Pod names them", async () => {
  const demo = await manifestsIn(cluster);
  for (const number of [1, 2, 3]) {
    demo.declare({ app: version(number) });
    await deployed(demo);
  }
  await withoutReplicaSets(demo, 2);
  // A Pod outside the deployment still reads the first one. A ReplicaSet without Pods names the
  // second one.
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "reader" },
    spec: {
      containers: [{ name: "a", image: "a", envFrom: [{ configMapRef: { name: "config-1" } }] }],
    },
  };
  demo.write("pod.json", JSON.stringify(pod));
  await demo.kubectl("apply", "-f", `${demo.directory}/pod.json`);
  demo.declare({ app: version(4) });
  expect(await aftermath(demo, "--keep-revisions", "2")).toEqual([
    "= keep   ConfigMap config-1: key app-config, revision 1, since release 2, used by Pod reader",
    "= keep   ConfigMap config-2: key app-config, revision 2, since release 3, used by ReplicaSet web-*",
    "= keep   ConfigMap config-3: key app-config, revision 3, used by Deployment web, ReplicaSet web-*, Pod web-*-*",
  ]);
  await deployed(demo, "--keep-revisions", "2");
  expect(await revisions(demo)).toBe("config-1 1, config-2 2, config-3 3, config-4 4");

  await demo.kubectl("delete", "pod", "reader", "--grace-period=0", "--force");
  await withoutReplicaSets(demo, 2);
  const toDelete = ["config-1: revision 1", "config-2: revision 2"].map(
    (one) => `- delete ConfigMap ${one} of key app-config; enough newer revisions are kept`,
  );
  expect(await aftermath(demo, "--keep-revisions", "2")).toEqual([
    ...toDelete,
    "= keep   ConfigMap config-3: key app-config, revision 3, since release 4, used by ReplicaSet web-*",
  ]);
  const markdown = await demo.qvs("diff", "--keep-revisions", "2", "--format", "markdown");
  expect(markdown.stdout).toContain(
    "revision 1 of key app-config; enough newer revisions are kept",
  );
  expect(markdown.stdout).toContain(
    "key app-config, revision 3, since release 4, used by ReplicaSet",
  );
  await demo.writes();
  await deployed(demo, "--keep-revisions", "2");
  // They don't wait for each other.
  expect((await demo.writes()).toSorted()).toEqual([
    `delete ConfigMap ${demo.namespace}/config-1`,
    `delete ConfigMap ${demo.namespace}/config-2`,
  ]);
  await deployed(demo, "--keep-revisions", "2");
  expect(await revisions(demo)).toBe("config-3 3, config-4 4");
});
