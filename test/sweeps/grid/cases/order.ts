import {
  apart,
  deployment,
  type Fields,
  type GridCase,
  plain,
} from "../../../support/rollout-pieces.ts";
import { changed, same, scaler, sequence } from "../situations.ts";
import { big, onNode } from "./pieces.ts";

const tight = { apart: [apart()] };

/** The order of deletion of old Pods, which decides where new ones fit. */
const costs: readonly GridCase[] = [
  {
    ...changed(
      "whoever leaves first is in the way",
      { replicas: 2, cpu: "20", surge: 0, unavailable: 1 },
      onNode(2, { replicas: 2, cpu: "15", surge: 0, unavailable: 1 }),
      plain(2),
    ),
    meanwhile: [cost(2, "-10")],
  },
  {
    ...changed(
      "whoever leaves first is not in the way",
      { replicas: 2, cpu: "20", surge: 0, unavailable: 1 },
      onNode(2, { replicas: 2, cpu: "15", surge: 0, unavailable: 1 }),
      plain(2),
    ),
    meanwhile: [cost(1, "-10")],
  },
  {
    ...changed(
      "whoever leaves last is in the way",
      { replicas: 2, cpu: "20", surge: 0, unavailable: 1 },
      onNode(2, { replicas: 2, cpu: "15", surge: 0, unavailable: 1 }),
      plain(2),
    ),
    meanwhile: [cost(2, "10")],
  },
  changed(
    "two on one node leave first, the third is in the way",
    { cpu: "20", surge: 0, unavailable: 1 },
    onNode(2, { cpu: "8", surge: 0, unavailable: 1 }),
    big("45", "24"),
  ),
  changed(
    "two on one node leave first, the third with them",
    { cpu: "20", surge: 0, unavailable: 3 },
    onNode(2, { cpu: "8", surge: 0, unavailable: 3 }),
    big("45", "24"),
  ),
  changed(
    "two on one node leave first, they are in the way",
    { cpu: "20", surge: 0, unavailable: 1 },
    onNode(1, { cpu: "11", surge: 0, unavailable: 1 }),
    big("45", "24"),
  ),
];

/** Numbers of replicas that change together with the template, and Pods of earlier revisions. */
const shapes: readonly GridCase[] = [
  same(
    "10 of a cpu of 11 by 25% and 0 on as many as fit",
    { replicas: 10, cpu: "11", surge: "25%", unavailable: 0 },
    plain(5),
  ),
  same("7 by 10% and 15%", { replicas: 7, surge: "10%", unavailable: "15%", ...tight }, plain(7)),
  changed(
    "fewer and larger on one node fewer",
    { replicas: 3, cpu: "10", ...tight },
    { replicas: 2, cpu: "28", ...tight },
    plain(2),
    { isStuckBefore: true },
  ),
  changed(
    "more and smaller with the template, old ones first",
    { replicas: 2, cpu: "20" },
    { replicas: 3, cpu: "10" },
    plain(2),
  ),
  changed(
    "more and smaller, half may be unavailable",
    { replicas: 2, cpu: "20", unavailable: "50%" },
    { replicas: 4, cpu: "15", unavailable: "50%" },
    plain(2),
  ),
  changed(
    "more and smaller, one may be unavailable",
    { replicas: 2, cpu: "20", unavailable: 1 },
    { replicas: 4, cpu: "15", unavailable: 1 },
    plain(2),
  ),
  sequence("broken second, third with room for one fewer", [
    { unavailable: 1 },
    { version: 2, unavailable: 1, behaviour: "never-ready" },
    { version: 3, unavailable: 1 },
  ]),
  sequence("broken second, third with none fewer", [
    { unavailable: 1 },
    { version: 2, unavailable: 1, behaviour: "never-ready" },
    { version: 3 },
  ]),
  {
    ...sequence("broken second on a free node, third with none fewer", [
      {},
      { version: 2, behaviour: "never-ready" },
      { version: 3 },
    ]),
    nodes: plain(4),
  },
  sequence("stuck second, third by Recreate", [
    {},
    { version: 2 },
    { version: 3, spec: { strategy: { type: "Recreate", rollingUpdate: null } } },
  ]),
  {
    name: "an autoscaler allows fewer than are declared, apart",
    nodes: plain(3),
    isChangedLater: true,
    isStuckBefore: true,
    steps: [[deployment({ ...tight, replicas: 4 }), hpa(1, 3)]],
  },
  {
    name: "an autoscaler allows as many as are declared, apart",
    nodes: plain(3),
    isChangedLater: true,
    isStuckBefore: true,
    steps: [[deployment({ ...tight, replicas: 4 }), hpa(1, 4)]],
  },
  changed(
    "all stopped first, larger than what is free",
    { spec: { strategy: { type: "Recreate" } }, cpu: "20" },
    { spec: { strategy: { type: "Recreate" } }, cpu: "31" },
    big("32", "32", "30"),
  ),
  {
    ...same("the free node offers nothing", tight, plain(4)),
    meanwhile: [
      ["cordon", "CASE-node-4"],
      ["delete", "pods", "--field-selector", "spec.nodeName=CASE-node-4"],
      ["rollout", "status", "deployment/web"],
      [
        "patch",
        "node",
        "CASE-node-4",
        "--subresource=status",
        "--type=json",
        "-p",
        '[{"op":"remove","path":"/status/allocatable"},{"op":"remove","path":"/status/capacity"}]',
      ],
      ["uncordon", "CASE-node-4"],
    ],
  },
  {
    ...same("the free node is emptied and stays", tight, plain(4)),
    meanwhile: [
      ["cordon", "CASE-node-4"],
      ["delete", "pods", "--field-selector", "spec.nodeName=CASE-node-4"],
      ["rollout", "status", "deployment/web"],
      ["uncordon", "CASE-node-4"],
    ],
  },
  {
    ...same("the free node comes with a startup taint", tight, plain(4)),
    meanwhile: [
      ["cordon", "CASE-node-4"],
      ["delete", "pods", "--field-selector", "spec.nodeName=CASE-node-4"],
      ["rollout", "status", "deployment/web"],
      ["taint", "node", "CASE-node-4", "node.cilium.io/agent-not-ready=true:NoSchedule"],
      ["uncordon", "CASE-node-4"],
    ],
  },
];

export const orderClasses = { costs, shapes };

/**
 * Returns a command that sets the deletion cost of Pods. Without it, the order of equal Pods is
 * random.
 */
function cost(node: number, value: string): readonly string[] {
  return [
    ...["annotate", "pods", "--field-selector", `spec.nodeName=CASE-node-${node}`],
    `controller.kubernetes.io/pod-deletion-cost=${value}`,
  ];
}

function hpa(min: number, max: number): Fields {
  const own = scaler(min) as { readonly spec: Fields };
  return { ...own, spec: { ...own.spec, maxReplicas: max } };
}
