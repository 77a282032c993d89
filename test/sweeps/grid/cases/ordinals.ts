import {
  apart,
  type Fields,
  type GridCase,
  plain,
  statefulSet,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import { changed, daemon, partition, spread, stateful, volumeAndClaim } from "../situations.ts";
import { big, onNode } from "./pieces.ts";

const tight = { apart: [apart()] };

const sets: readonly GridCase[] = [
  stateful(
    "more and smaller in order",
    { replicas: 2, cpu: "20" },
    { replicas: 3, cpu: "15" },
    plain(2),
  ),
  stateful(
    "more and smaller in parallel",
    { replicas: 2, cpu: "20", spec: { podManagementPolicy: "Parallel" } },
    { replicas: 3, cpu: "15", spec: { podManagementPolicy: "Parallel" } },
    plain(2),
  ),
  stateful(
    "fewer and larger, one too many",
    { replicas: 4, cpu: "10" },
    { replicas: 3, cpu: "30" },
    plain(2),
  ),
  stateful(
    "moved in order into a room of one",
    onNode(1, { replicas: 2, cpu: "15" }),
    onNode(2, { replicas: 2, cpu: "20" }),
    plain(2),
  ),
  stateful(
    "a partition of one, the last keeps away from the first, two nodes",
    { replicas: 2 },
    { ...tight, replicas: 2, spec: partition(1) },
    plain(2),
  ),
  ...[1, 2].map((count) => ({
    name: `StatefulSet: first with a partition beyond all, ${count} nodes for 2`,
    nodes: plain(count),
    steps: [[statefulSet({ ...tight, replicas: 2, spec: partition(9) })]],
  })),
  {
    name: "StatefulSet: the second is moved where the first is",
    nodes: plain(2),
    steps: [
      [statefulSet({ ...tight, replicas: 2 })],
      [
        statefulSet({
          ...tight,
          replicas: 2,
          version: 2,
          spec: partition(1),
          pod: { nodeSelector: { grid: "CASE", "grid.example/node": "CASE-node-1" } },
        }),
      ],
    ],
  },
  {
    name: "StatefulSet: stuck by size, and back",
    nodes: plain(2),
    isStuckBefore: true,
    steps: [
      [statefulSet({ replicas: 2 })],
      [statefulSet({ replicas: 2, version: 2, cpu: "40" })],
      [statefulSet({ replicas: 2 })],
    ],
  },
  {
    name: "StatefulSet: stuck by size, and fewer by the old template",
    nodes: plain(2),
    isStuckBefore: true,
    steps: [
      [statefulSet({ replicas: 2 })],
      [statefulSet({ replicas: 2, version: 2, cpu: "40" })],
      [statefulSet({ replicas: 1 })],
    ],
  },
  {
    name: "StatefulSet: stuck by size, and above a partition",
    nodes: plain(2),
    isStuckBefore: true,
    steps: [
      [statefulSet({ replicas: 2 })],
      [statefulSet({ replicas: 2, version: 2, cpu: "40" })],
      [statefulSet({ replicas: 2, version: 3, spec: partition(2) })],
    ],
  },
  {
    name: "StatefulSet: the last is broken, and one more",
    nodes: plain(2),
    isStuckBefore: true,
    steps: [
      [statefulSet({ replicas: 2, behaviour: "never-ready" })],
      [statefulSet({ replicas: 3, behaviour: "never-ready" })],
      [statefulSet({ replicas: 3 })],
    ],
  },
];

const daemons: readonly GridCase[] = [
  daemon(
    "a term against its own by hostname by generation, surging",
    { surge: 1, apart: [apart({ matchLabelKeys: ["pod-template-generation"] })] },
    { surge: 1, apart: [apart({ matchLabelKeys: ["pod-template-generation"] })] },
  ),
  daemon(
    "a term against its own by zone, two nodes in one",
    {},
    { apart: [apart({ topologyKey: zone })] },
    zones(2),
  ),
  daemon("tolerates a node no longer", { pod: { tolerations: [{ operator: "Exists" }] } }, {}, [
    ...plain(1),
    { tainted: true },
  ]),
  daemon(
    "tolerates a node that throws out no longer",
    { pod: { tolerations: [{ operator: "Exists" }] } },
    {},
    [...plain(1), { taints: [{ key: "x", effect: "NoExecute" }] }],
  ),
  daemon(
    "larger on each, one node too small, two unavailable",
    { unavailable: 2 },
    { unavailable: 2, cpu: "20" },
    big("32", "10", "10"),
  ),
  daemon(
    "surging with more than half of one node",
    { surge: "10%", cpu: "16" },
    { surge: "10%", cpu: "16" },
    big("32", "31"),
  ),
  daemon(
    "surging, a higher priority and a host port",
    { surge: 1, hostPort: 7110 },
    { surge: 1, hostPort: 7110, pod: { priorityClassName: "grid-urgent" } },
  ),
  daemon(
    "surging, a patient priority and a host port",
    { surge: 1, hostPort: 7111 },
    { surge: 1, hostPort: 7111, pod: { priorityClassName: "grid-patient" } },
  ),
  daemon(
    "old ones are broken, surging with a host port",
    { surge: 1, hostPort: 7112, behaviour: "never-ready" },
    { surge: 1, hostPort: 7112 },
    plain(2),
    true,
  ),
  daemon(
    "spread by zone over very unequal zones",
    {},
    { spread: [spread({ topologyKey: zone })] },
    zones(3, 1),
  ),
  daemon(
    "by name of its own",
    {},
    {
      pod: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchFields: [{ key: "metadata.name", operator: "In", values: ["CASE-node-2"] }],
                },
              ],
            },
          },
        },
      },
    },
  ),
  daemon("that waits for others of its own kind", {}, { together: [apart()] }),
  daemon(
    "that waits for itself in its zone",
    {},
    { together: [apart({ topologyKey: zone })] },
    zones(2, 1),
  ),
];

const claims: readonly GridCase[] = [
  {
    ...changed(
      "a claim of one Pod only, with a higher priority",
      { replicas: 1, pod: data() },
      { replicas: 1, pod: { ...data(), priorityClassName: "grid-urgent" } },
    ),
    around: volumeAndClaim("ReadWriteOncePod"),
  },
  {
    ...changed(
      "a claim of one Pod only, with a patient priority",
      { replicas: 1, pod: data() },
      { replicas: 1, pod: { ...data(), priorityClassName: "grid-patient" } },
    ),
    around: volumeAndClaim("ReadWriteOncePod"),
  },
  {
    ...changed(
      "a claim of one Pod only is taken by two",
      { replicas: 2 },
      { replicas: 2, pod: data() },
    ),
    around: volumeAndClaim("ReadWriteOncePod"),
  },
  {
    ...changed(
      "a claim of one Pod only, grown to two",
      { replicas: 1, pod: data() },
      { replicas: 2, pod: data() },
    ),
    around: volumeAndClaim("ReadWriteOncePod"),
  },
];

export const ordinalClasses = { sets, daemons, claims };

function data(): Fields {
  return { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
}
