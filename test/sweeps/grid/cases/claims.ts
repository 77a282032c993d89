import {
  deployment,
  type Fields,
  type GridCase,
  plain,
  statefulSet,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import { disk, first, ownClaims, storageClass, volumeAndClaim } from "../situations.ts";

const recreate = { strategy: { type: "Recreate" } };

/** Ephemeral volumes of single Pods, which no other Pod can use afterwards. */
const podVolumes: readonly GridCase[] = [
  pods("made for each", own("standard"), { replicas: 2 }),
  pods("of a class that is not there", own("missing"), { replicas: 1 }),
  pods("on disks for each of two", own("CASE"), { replicas: 2 }, disks(2)),
  pods("on disks for one of two", own("CASE"), { replicas: 2 }, disks(1)),
  pods("two for one Pod on two disks", own("CASE", 2), { replicas: 1 }, disks(2)),
  pods("two for one Pod on one disk", own("CASE", 2), { replicas: 1 }, disks(1)),
  replaced("made for each", own("standard"), { surge: 1, unavailable: 0 }),
  replaced("on a disk for each old and new Pod", own("CASE"), { surge: 1, unavailable: 0 }, 4),
  replaced("on a disk too few", own("CASE"), { surge: 1, unavailable: 0 }, 3),
  replaced("on a disk too few, where one may leave first", own("CASE"), { unavailable: 1 }, 3),
  replaced("on disks of those that have left", own("CASE"), { spec: recreate }, 2),
  replaced("on other disks than those that have left", own("CASE"), { spec: recreate }, 4),
  ownOfSet("on a disk for each ordinal and its next Pod", 4),
  ownOfSet("on a disk for each ordinal", 2),
  replaced(
    "as many as a quota leaves, where one may leave first",
    own("standard"),
    { surge: 0, unavailable: 1 },
    claimsQuota("2"),
  ),
  replaced(
    "as many as a quota leaves, where none may leave first",
    own("standard"),
    { surge: 1, unavailable: 0 },
    claimsQuota("2"),
  ),
  replaced(
    "one less than a quota of their class leaves",
    own("standard"),
    { surge: 1, unavailable: 0 },
    claimsQuota("3", "standard.storageclass.storage.k8s.io/persistentvolumeclaims"),
  ),
  replaced(
    "as many as a quota of their class leaves",
    own("standard"),
    { surge: 1, unavailable: 0 },
    claimsQuota("2Gi", "standard.storageclass.storage.k8s.io/requests.storage"),
  ),
];

/** Limits of a driver for the volumes that are attached to a node. */
const attachedVolumes: readonly GridCase[] = [
  attached("two to a node that takes two", 2, [["a", "b"]]),
  attached("two to a node that takes one", 1, [["a", "b"]]),
  attached("the same one for two Pods", 1, [["a"], ["a"]]),
  attached("another one for each of two Pods, on a node that takes one", 1, [["a"], ["b"]]),
  attached("another one for each of two Pods, on a node that takes two", 2, [["a"], ["b"]]),
  attached("one to a node that takes none", 0, [["a"]]),
];

/** PersistentVolumeClaims of StatefulSets, counted by a quota. */
const countedClaims: readonly GridCase[] = [
  scaledSet("that a quota has", claimsQuota("3")),
  scaledSet("that a quota does not have", claimsQuota("2")),
  scaledSet("that a quota of their class does not have", [
    ...claimsQuota("2", "standard.storageclass.storage.k8s.io/persistentvolumeclaims"),
  ]),
];

export const claimClasses = { podVolumes, attachedVolumes, countedClaims };

function own(storageClassName: string, count = 1): Fields {
  const resources = { requests: { storage: "1Gi" } };
  const spec = { accessModes: ["ReadWriteOnce"], storageClassName, resources };
  const ofPod = Array.from({ length: count }, (_, index) => ({
    ...{ name: `scratch-${index}`, ephemeral: { volumeClaimTemplate: { spec } } },
  }));
  return { volumes: ofPod };
}

function disks(count: number): readonly Fields[] {
  const { nodeAffinity: _, ...spec } = disk("1Gi", "1").spec as Fields;
  const kind = { apiVersion: "v1", kind: "PersistentVolume" };
  const names = Array.from({ length: count }, (__, index) => `CASE-free-${index}`);
  const free = names.map((name) => ({ ...kind, metadata: { name }, spec }));
  return [storageClass("kubernetes.io/no-provisioner"), ...free];
}

function pods(
  name: string,
  pod: Fields,
  options: WorkloadOptions,
  around: readonly Fields[] = [],
): GridCase {
  return { ...first(`a volume of its own, ${name}`, plain(2), { ...options, pod }), around };
}

/** Updates the image of two Pods. */
function replaced(
  name: string,
  pod: Fields,
  options: WorkloadOptions,
  around: number | readonly Fields[] = [],
): GridCase {
  const both = { replicas: 2, pod, ...options };
  return {
    name: `Deployment: a volume of its own, ${name}`,
    nodes: plain(2),
    around: typeof around === "number" ? disks(around) : around,
    steps: [[deployment(both)], [deployment({ ...both, version: 2 })]],
  };
}

function ownOfSet(name: string, count: number): GridCase {
  const both = { replicas: 2, pod: own("CASE") };
  return {
    name: `StatefulSet: a volume of its own, ${name}`,
    nodes: plain(2),
    around: disks(count),
    steps: [[statefulSet(both)], [statefulSet({ ...both, version: 2 })]],
  };
}

function claimsQuota(most: string, resource = "persistentvolumeclaims"): readonly Fields[] {
  const kind = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "claims" } };
  return [{ ...kind, spec: { hard: { [resource]: most } } }];
}

/** Scales a StatefulSet from two to three Pods, each with a PersistentVolumeClaim. */
function scaledSet(name: string, around: readonly Fields[]): GridCase {
  const spec = ownClaims("standard", "ReadWriteOnce");
  return {
    name: `StatefulSet: one more claim ${name}`,
    nodes: plain(2),
    around,
    steps: [[statefulSet({ replicas: 2, spec })], [statefulSet({ replicas: 3, spec })]],
  };
}

/** Returns a Deployment of one Pod for each list of claims, all on one node. */
function attached(name: string, most: number, claims: readonly (readonly string[])[]): GridCase {
  const drivers = [{ name: "grid.example", nodeID: "CASE", topologyKeys: null }];
  const csiNode = {
    ...{ apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "CASE-node-1" } },
    spec: { drivers: drivers.map((each) => ({ ...each, allocatable: { count: most } })) },
  };
  const workloads = claims.map((names, index) =>
    deployment({
      ...{ name: index === 0 ? "web" : `web-${index}`, replicas: 1 },
      labels: { app: `web-${index}` },
      pod: {
        volumes: names.map((each) => ({
          ...{ name: each, persistentVolumeClaim: { claimName: each } },
        })),
      },
    }),
  );
  const named = [...new Set(claims.flat())].flatMap((each) =>
    volumeAndClaim("ReadWriteMany").map((object) =>
      JSON.parse(
        JSON.stringify(object)
          .replaceAll('"CASE-data"', `"CASE-${each}"`)
          .replace('"name":"data"', `"name":"${each}"`)
          .replace('"volumeHandle":"CASE"', `"volumeHandle":"CASE-${each}"`),
      ),
    ),
  );
  return {
    name: `first: volumes that a driver attaches, ${name}`,
    nodes: plain(1),
    around: [csiNode, ...named],
    steps: [workloads],
  };
}
