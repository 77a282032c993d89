import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { expireLock } from "../../support/cluster/expire-lock.ts";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { startApiProxy } from "../../support/servers/api-proxy.ts";

/**
 * Tests larger volumes of a StatefulSet. qvs deletes it without its Pods and creates it again. If
 * the Pods were deleted, its PersistentVolumeClaims would be deleted with it.
 */
const cluster = useCluster();

interface SetVersion {
  readonly gi: number;
  readonly image?: string;
}

function declareSet(demo: Manifests, { gi, image = "db:1" }: SetVersion): void {
  demo.declare({
    app: `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, annotations: {vs.axis-dev.io/replace: orphan}}
spec:
  serviceName: db
  replicas: 2
  persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {terminationGracePeriodSeconds: 0, containers: [{name: db, image: "${image}"}]}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], storageClassName: ${demo.namespace}, resources: {requests: {storage: ${gi}Gi}}}
`,
  });
}

/** Deploys a StatefulSet of two Pods with expandable volumes. */
async function openDemo(): Promise<Manifests> {
  const demo = await manifestsIn(cluster);
  const { namespace } = demo;
  const volume = (ordinal: number) => `
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${namespace}-${ordinal}}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: ${namespace}, hostPath: {path: /data}}
---`;
  await cluster.apply(
    namespace,
    `${volume(0)}${volume(1)}
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: ${namespace}}
provisioner: kubernetes.io/no-provisioner
allowVolumeExpansion: true
`,
  );
  await deploy(demo, { gi: 1 });
  return demo;
}

async function deploy(demo: Manifests, version: SetVersion): Promise<void> {
  declareSet(demo, version);
  const { code, stdout, stderr } = await demo.qvs("deploy", "--quiet");
  expect(code, stdout + stderr).toBe(0);
}

interface State {
  readonly set: string;
  readonly pods: readonly string[];
  readonly claims: readonly string[];
  readonly sizes: readonly string[];
  readonly owners: readonly string[];
  readonly images: readonly string[];
  readonly revisions: number;
}

async function readState({ kubectl }: Manifests): Promise<State> {
  const list = async (kind: string) => JSON.parse(await kubectl("get", kind, "-o", "json")).items;
  const [[set], pods, claims, revisions] = await Promise.all(
    ["statefulsets", "pods", "pvc", "controllerrevisions"].map(list),
  );
  const uids = (objects: readonly { metadata: { uid: string } }[]) =>
    objects.map(({ metadata }) => metadata.uid);
  type Owned = { metadata: { ownerReferences?: readonly { uid: string }[] } };
  return {
    set: set?.metadata.uid ?? "none",
    pods: uids(pods),
    claims: uids(claims),
    sizes: claims.map((claim: { spec: { resources: { requests: { storage: string } } } }) => {
      return claim.spec.resources.requests.storage;
    }),
    owners: [...pods, ...revisions].map(
      ({ metadata }: Owned) => metadata.ownerReferences?.[0]?.uid ?? "none",
    ),
    images: pods.map((pod: { spec: { containers: readonly { image: string }[] } }) => {
      return pod.spec.containers[0]?.image;
    }),
    revisions: revisions.length,
  };
}

test("volumes grow and no Pod restarts, then only those of a changed template", async () => {
  const demo = await openDemo();
  const before = await readState(demo);
  await demo.writes();
  await deploy(demo, { gi: 2 });
  expect(await demo.writes()).toEqual([
    `patch PersistentVolumeClaim ${demo.namespace}/data-db-0`,
    `patch PersistentVolumeClaim ${demo.namespace}/data-db-1`,
    `delete StatefulSet ${demo.namespace}/db`,
    `patch StatefulSet ${demo.namespace}/db`,
  ]);
  const grown = await readState(demo);
  expect(grown.set).not.toBe(before.set);
  expect(grown).toEqual({
    ...before,
    set: grown.set,
    sizes: ["2Gi", "2Gi"],
    owners: before.owners.map(() => grown.set),
  });

  await deploy(demo, { gi: 3, image: "db:2" });
  const changed = await readState(demo);
  expect(changed).toMatchObject({ claims: before.claims, sizes: ["3Gi", "3Gi"], revisions: 2 });
  expect(changed.images).toEqual(["db:2", "db:2"]);
  expect(changed.pods.filter((uid) => before.pods.includes(uid))).toEqual([]);
});

test("killed after any write, the next run completes it, and no Pod restarts", async () => {
  const demo = await openDemo();
  const before = await readState(demo);
  const folder = join(dirname(demo.directory), "kubeconfigs");
  mkdirSync(folder);
  const killedAt: string[] = [];
  for (let nth = 1; ; nth += 1) {
    const gi = nth + 1;
    const hit = await killAfter(demo, folder, { gi, nth });
    if (hit !== undefined) killedAt.push(hit);
    if ((await demo.kubectl("get", "lease", "-o", "name")).includes("qvs-demo"))
      await expireLock(cluster, demo.namespace);
    await deploy(demo, { gi });
    const now = await readState(demo);
    expect(now, `killed after ${hit}`).toEqual({
      ...before,
      set: now.set,
      sizes: [`${gi}Gi`, `${gi}Gi`],
      owners: before.owners.map(() => now.set),
    });
    if (hit === undefined) break;
  }
  expect(killedAt).toEqual(
    expect.arrayContaining([
      "apply persistentvolumeclaims/data-db-0",
      "apply persistentvolumeclaims/data-db-1",
      "delete statefulsets/db",
      "apply statefulsets/db",
    ]),
  );
});

/** Kills a deployment after its n-th write. Returns the write, or undefined if there were fewer. */
async function killAfter(
  demo: Manifests,
  folder: string,
  { gi, nth }: { readonly gi: number; readonly nth: number },
): Promise<string | undefined> {
  declareSet(demo, { gi });
  const proxy = await startApiProxy(cluster.kubeconfig, folder, `run-${nth}`);
  const running = demo.start("deploy", "--quiet", "--kubeconfig", proxy.kubeconfig);
  let hit: string | undefined;
  proxy.setRule(({ write, text }) => {
    if (write !== nth) return undefined;
    hit = text;
    return { after: () => void running.child.kill("SIGKILL"), cut: "after" };
  });
  await running.result;
  await proxy.settled();
  await proxy.close();
  return hit;
}
