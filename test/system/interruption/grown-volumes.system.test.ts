import { expect, test } from "vitest";
import { type AuditEvent, eventsIn } from "../../support/cluster/audit-events.ts";
import { type Manifests, manifestsIn } from "../../support/cluster/manifests-in.ts";
import { useCluster } from "../../support/cluster/use-cluster.ts";
import { killAfterWrite } from "../../support/qvs/kill-after-write.ts";

/**
 * Tests larger volumes of a StatefulSet. qvs deletes it without its Pods and creates it again. If
 * the Pods were deleted, its PersistentVolumeClaims would be deleted with it.
 */
const cluster = useCluster();

interface SetVersion {
  readonly gi: number;
  readonly image?: string;
  /** True if an autoscaler sets the number of replicas, and their data is deleted with them. */
  readonly isScaled?: boolean;
}

function declareSet(demo: Manifests, { gi, image = "db:1", isScaled }: SetVersion): void {
  const claims = isScaled ? "whenScaled: Delete" : "whenDeleted: Delete";
  demo.declare({
    app: `${isScaled ? autoscaler : ""}
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, annotations: {vs.axis-dev.io/replace: orphan}}
spec:
  serviceName: db
  ${isScaled ? "" : "replicas: 2"}
  persistentVolumeClaimRetentionPolicy: {${claims}}
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

const autoscaler = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: db, annotations: {vs.axis-dev.io/wait: "false"}}
spec: {minReplicas: 2, maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: db}}
---`;

/** Deploys a StatefulSet of two Pods with expandable volumes. */
async function openDemo(more: Partial<SetVersion> = {}): Promise<Manifests> {
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
  await deploy(demo, { gi: 1, ...more });
  const ready = "jsonpath={.status.readyReplicas}";
  await expect.poll(() => demo.kubectl("get", "statefulset", "db", "-o", ready)).toBe("2");
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
  await killAfterEachWrite(demo, sizeOf, async (hit, nth) => {
    await deploy(demo, sizeOf(nth));
    const now = await readState(demo);
    expect(now, `killed after ${hit}`).toEqual({
      ...before,
      set: now.set,
      sizes: [`${nth + 1}Gi`, `${nth + 1}Gi`],
      owners: before.owners.map(() => now.set),
    });
  });
});

test("killed after any write, the next run keeps the Pods and claims of an autoscaler", async () => {
  const demo = await openDemo({ isScaled: true });
  const { pods, claims } = await readState(demo);
  const versionOf = (nth: number) => ({ ...sizeOf(nth), isScaled: true });
  await killAfterEachWrite(demo, versionOf, async (hit, nth) => {
    await deploy(demo, versionOf(nth));
    expect(await readState(demo), `killed after ${hit}`).toMatchObject({ pods, claims });
  });
});

test("killed while the template changes too, the next run restarts each Pod once", async () => {
  const demo = await openDemo();
  const { claims } = await readState(demo);
  let before = (await podEvents(demo)).length;
  await killAfterEachWrite(demo, sizeAndImageOf, async (hit, nth) => {
    const version = sizeAndImageOf(nth);
    await deploy(demo, version);
    const now = await readState(demo);
    expect(now, `killed after ${hit}`).toMatchObject({
      claims,
      sizes: [`${version.gi}Gi`, `${version.gi}Gi`],
      images: [version.image, version.image],
    });
    expect(new Set(now.owners), `killed after ${hit}`).toEqual(new Set([now.set]));
    const all = await podEvents(demo);
    const created = all.slice(before).filter(({ verb }) => verb === "create");
    const trail = all.slice(before).map((each) => JSON.stringify(each));
    expect(
      created.map(({ object }) => object).toSorted(),
      [`killed after ${hit}`, ...trail].join("\n"),
    ).toEqual(["pods/db-0", "pods/db-1"]);
    before = all.length;
  });
});

test("killed while the template changes too, the version before can follow", async () => {
  const demo = await openDemo();
  const before = await readState(demo);
  let isApplied = false;
  await killAfterEachWrite(demo, sizeAndImageOf, async (hit) => {
    isApplied ||= hit === undefined || hit === "apply statefulsets/db";
    const { pods } = await readState(demo);
    await deploy(demo, { gi: 1 });
    const now = await readState(demo);
    const { claims, images } = before;
    expect(now, `killed after ${hit}`).toMatchObject({ claims, images });
    expect(new Set(now.owners), `killed after ${hit}`).toEqual(new Set([now.set]));
    if (!isApplied) expect(now.pods, `killed after ${hit}`).toEqual(pods);
  });
});

const sizeOf = (nth: number) => ({ gi: nth + 1 });
const sizeAndImageOf = (nth: number) => ({ gi: nth + 1, image: `db:${nth + 1}` });

/**
 * Deploys larger and larger volumes, and kills each run one write later than the one before, until
 * a run ends by itself.
 */
async function killAfterEachWrite(
  demo: Manifests,
  versionOf: (nth: number) => SetVersion,
  finish: (hit: string | undefined, nth: number) => Promise<void>,
): Promise<void> {
  const killedAt: (string | undefined)[] = [];
  for (let nth = 1; !killedAt.includes(undefined); nth += 1) {
    declareSet(demo, versionOf(nth));
    const hit = await killAfterWrite(cluster, demo, nth);
    killedAt.push(hit);
    await finish(hit, nth);
  }
  expect(killedAt).toEqual(
    expect.arrayContaining([
      "apply persistentvolumeclaims/data-db-0",
      "apply persistentvolumeclaims/data-db-1",
      "delete statefulsets/db",
      "apply statefulsets/db",
    ]),
  );
}

/** Returns all creations and deletions of Pods and of their owner so far. */
async function podEvents({ namespace }: Manifests): Promise<readonly AuditEvent[]> {
  const events = eventsIn(await cluster.auditLogSoFar(), namespace);
  return events.filter(
    ({ verb, object }) =>
      (/^pods(\/[^/]+)?$/.test(object) && ["create", "delete"].includes(verb)) ||
      object === "statefulsets/db",
  );
}
