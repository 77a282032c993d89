import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeName } from "./place.ts";
import type { TestNode } from "./use-node.ts";

/**
 * Creates directories of this machine as volumes, and a StorageClass with the name of the
 * namespace. The file `content` on each volume contains its number.
 */
export async function provideVolumes(
  node: TestNode,
  namespace: string,
  count: number,
): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const path = join(tmpdir(), `${namespace}-${number}`);
    await mkdir(path);
    await writeFile(join(path, "content"), `data of volume ${number}`);
    await node.apply(namespace, volume(`${namespace}-${number}`, namespace, path));
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

function volume(name: string, storageClass: string, path: string): string {
  const selector = `{key: kubernetes.io/hostname, operator: In, values: [${nodeName}]}`;
  return `
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${name}}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  storageClassName: ${storageClass}
  local: {path: ${path}}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [${selector}]}]}}
`;
}

/**
 * Plays the part of a storage driver that runs outside of the node: it grows each disk as soon as
 * its claim requests more. Resolves when the kubelet has expanded all file systems.
 */
export async function growVolumes(node: TestNode, namespace: string, gi: number): Promise<void> {
  const size = `${gi}Gi`;
  const grown = new Set<string>();
  const patch = ["-p", JSON.stringify({ spec: { capacity: { storage: size } } })];
  const path = "{.spec.volumeName} {.spec.resources.requests.storage} {.status.capacity.storage}";
  const jsonPath = `jsonpath={range .items[*]}${path}{"\\n"}{end}`;
  for (;;) {
    const text = await node.kubectl("get", "pvc", "-n", namespace, "-o", jsonPath);
    const claims = text
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    for (const [name = "", requested] of claims) {
      if (requested !== size || grown.has(name)) continue;
      await node.kubectl("patch", "pv", name, ...patch);
      grown.add(name);
    }
    if (claims.every(([, , present]) => present === size)) return;
    await sleep(500);
  }
}
