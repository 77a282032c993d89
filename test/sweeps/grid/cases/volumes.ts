import {
  daemonSet,
  deployment,
  type Fields,
  type GridCase,
  plain,
  statefulSet,
  type WorkloadOptions,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import { daemon, disk, first, ownClaims, storageClass, volumeAndClaim } from "../situations.ts";

const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];

/** Volumes of a class that binds claims only after a Pod has a node. */
const localVolumes: readonly GridCase[] = [
  waiting("on the node that it asks for", [disk("1Gi", "1")], onNode("1")),
  waiting("on another node", [disk("1Gi", "1")], onNode("2")),
  waiting("too small", [disk("1Mi", "1")], onNode("1")),
  waiting("on a node that is full", [disk("1Gi", "1")], { cpu: "33" }),
  setOfDisks("for each of two", ["1", "2"], 2),
  setOfDisks("for two of three", ["1", "2"], 3),
  setOfDisks("for each of two, bound at once", ["1", "2"], 2, "Immediate"),
  setOfDisks("for two of three, bound at once", ["1", "2"], 3, "Immediate"),
  { ...setOfDisks("without a class, for each of two", ["1", "2"], 2), around: bothDisks() },
  { ...setOfDisks("without a class, for two of three", ["1", "2"], 3), around: bothDisks() },
  {
    name: "StatefulSet: each a claim of one Pod only",
    nodes: plain(2),
    steps: [
      [statefulSet({ replicas: 2, spec: ownClaims("standard", "ReadWriteOncePod") })],
      [statefulSet({ replicas: 2, version: 2, spec: ownClaims("standard", "ReadWriteOncePod") })],
    ],
  },
  onePod("DaemonSet: a claim of one Pod only on two nodes", 2),
  onePod("DaemonSet: a claim of one Pod only on one node", 1),
  {
    ...first("volumes are made in another zone only", zones(1, 1), {
      ...{ replicas: 1, pod: { volumes, nodeSelector: { grid: "CASE", [zone]: "zone-2" } } },
    }),
    around: [storageClass("test.qvs/volumes", { allowedTopologies: [inZone("zone-1")] }), claim()],
  },
];

export const volumeClasses = { localVolumes };

function claim(): Fields {
  const spec = {
    ...{ accessModes: ["ReadWriteOnce"], storageClassName: "CASE" },
    resources: { requests: { storage: "1Gi" } },
  };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data" }, spec };
}

function onNode(node: string): WorkloadOptions {
  return { pod: { nodeSelector: { grid: "CASE", "grid.example/node": `CASE-node-${node}` } } };
}

function waiting(name: string, disks: readonly Fields[], options: WorkloadOptions): GridCase {
  const own = { ...options, replicas: 1, pod: { ...options.pod, volumes } };
  return {
    name: `first: a volume that waits for its Pod, ${name}`,
    nodes: plain(2),
    around: [storageClass("kubernetes.io/no-provisioner"), ...disks],
    steps: [[claim(), deployment(own)]],
  };
}

function bothDisks(): readonly Fields[] {
  return ["1", "2"].map((node) => disk("1Gi", node));
}

function setOfDisks(
  name: string,
  nodes: readonly string[],
  replicas: number,
  volumeBindingMode = "WaitForFirstConsumer",
): GridCase {
  return {
    name: `StatefulSet: volumes ${name}`,
    nodes: plain(3),
    around: [
      storageClass("kubernetes.io/no-provisioner", { volumeBindingMode }),
      ...nodes.map((node) => disk("1Gi", node)),
    ],
    steps: [[statefulSet({ replicas, spec: ownClaims("CASE", "ReadWriteOnce") })]],
  };
}

function onePod(name: string, nodes: number): GridCase {
  const around = volumeAndClaim("ReadWriteOncePod");
  return {
    ...daemon("", {}, {}),
    name,
    around,
    nodes: plain(nodes),
    steps: [[daemonSet({ pod: { volumes } })]],
  };
}

function inZone(value: string): Fields {
  return { matchLabelExpressions: [{ key: zone, values: [value] }] };
}
