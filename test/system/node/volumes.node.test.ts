import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryRepository } from "../../support/git/temporary-repository.ts";
import { nodeName } from "../../support/node/place.ts";
import { loadDuring } from "../../support/node/roll-out.ts";
import { useNode } from "../../support/node/use-node.ts";
import { runQvs } from "../../support/qvs/run-qvs.ts";

/** The volumes of a StatefulSet grow while requests are sent, and its containers stay. */
const node = useNode();

const image = "registry.example/db:1.0.0";

test("a StatefulSet whose volumes grow restarts no container and loses no request", async () => {
  await node.image(image, { GREETING: "stored" });
  const namespace = await node.namespace("volumes");
  await provideVolumes(namespace);
  const { directory, write, change } = temporaryRepository(filesOf(namespace));
  write("adapters/db/main.cue", `package db\n\nDesignPattern: ${manifests(namespace)}\n`);
  const env = { KUBECONFIG: node.kubeconfigFor("admin") };
  const deploy = async () => {
    const { code, stderr } = await runQvs(directory, ["deploy", "-n", namespace], env);
    expect(code, stderr).toBe(0);
  };
  await deploy();
  const before = await containers(namespace);
  expect(before).toHaveLength(2);
  change("adapters/db/main.cue", '"storage": "1Gi"', '"storage": "2Gi"');
  const { load } = await loadDuring(node, { namespace, service: "db" }, async () => {
    await deploy();
    await growVolumes(namespace);
  });
  expect(load.failed, load.log).toBe(0);
  expect(await containers(namespace)).toEqual(before);
  // The kubelet reports the size when it has expanded the file system.
  const sizes = "jsonpath={.items[*].status.capacity.storage}";
  await expect.poll(() => node.kubectl("get", "pvc", "-n", namespace, "-o", sizes)).toBe("2Gi 2Gi");
  const owners = "jsonpath={.items[*].metadata.ownerReferences[*].uid}";
  const uid = await node.kubectl(
    "get",
    "sts/db",
    "-n",
    namespace,
    "-o",
    "jsonpath={.metadata.uid}",
  );
  expect(await node.kubectl("get", "pods", "-n", namespace, "-o", owners)).toBe(`${uid} ${uid}`);
});

/** Returns the IDs of all containers. A restarted container has a new one. */
async function containers(namespace: string): Promise<readonly string[]> {
  const path = "jsonpath={.items[*].status.containerStatuses[*].containerID}";
  const ids = await node.kubectl("get", "pods", "-n", namespace, "-o", path);
  return ids.split(" ").toSorted();
}

/** Creates two directories of this machine as volumes. */
async function provideVolumes(namespace: string): Promise<void> {
  for (const number of [0, 1]) {
    const path = join(tmpdir(), `${namespace}-${number}`);
    await mkdir(path);
    const selector = `{key: kubernetes.io/hostname, operator: In, values: [${nodeName}]}`;
    await node.apply(
      namespace,
      `
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${namespace}-${number}, labels: {test: ${namespace}}}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  storageClassName: ${namespace}
  local: {path: ${path}}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [${selector}]}]}}
`,
    );
  }
  await node.apply(
    namespace,
    `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: ${namespace}}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
allowVolumeExpansion: true
`,
  );
}

/** Plays the part of a storage driver that runs outside of the node: it grows the disks. */
async function growVolumes(namespace: string): Promise<void> {
  const patch = ["-p", '{"spec":{"capacity":{"storage":"2Gi"}}}'];
  for (const number of [0, 1])
    await node.kubectl("patch", "pv", `${namespace}-${number}`, ...patch);
}

function filesOf(namespace: string): Readonly<Record<string, string>> {
  return {
    ".valuestream/qvs.yaml": `
modules: [{name: ${namespace}.example/adapters, local: {path: ../adapters}}]
designPatterns: [{pattern: ${namespace}.example/adapters/db, params: {}}]
`,
    "adapters/cue.mod/module.cue": `module: "${namespace}.example/adapters"\nlanguage: version: "v0.12.0"\n`,
  };
}

function manifests(storageClassName: string): string {
  const labels = { app: "db" };
  const claim = {
    storageClassName,
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
  };
  const container = {
    name: "db",
    image,
    readinessProbe: { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 },
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  };
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "db" },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
  };
  const db = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", annotations: { "vs.axis-dev.io/replace": "orphan" } },
    spec: {
      serviceName: "db",
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
    },
  };
  return JSON.stringify(
    { name: "db", parameters: {}, resources: { app: { service, db } } },
    null,
    2,
  );
}
