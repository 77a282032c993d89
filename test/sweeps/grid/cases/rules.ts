import {
  apart,
  type Fields,
  type GridCase,
  type GridNode,
  plain,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import { changed, first, same } from "../situations.ts";
import { byLabel, labelled, nodeAffinity } from "./pieces.ts";

/** Taints and node affinity. */
const nodeRules: readonly GridCase[] = [
  first(
    "Exists on the key, both effects",
    [
      {
        taints: [
          { key: "dedicated", value: "a", effect: "NoSchedule" },
          { key: "dedicated", value: "a", effect: "NoExecute" },
        ],
      },
    ],
    { replicas: 1, ...tolerating({ key: "dedicated", operator: "Exists" }) },
  ),
  first(
    "Exists on the key for NoSchedule of both effects",
    [
      {
        taints: [
          { key: "dedicated", value: "a", effect: "NoSchedule" },
          { key: "dedicated", value: "a", effect: "NoExecute" },
        ],
      },
    ],
    { replicas: 1, ...tolerating({ key: "dedicated", operator: "Exists", effect: "NoSchedule" }) },
  ),
  first("Equal without a value on a taint without", [dedicated("NoSchedule")], {
    replicas: 1,
    ...tolerating({ key: "dedicated", operator: "Equal" }),
  }),
  first("no operator, without a value, on a taint with", [dedicated("NoSchedule", "a")], {
    replicas: 1,
    ...tolerating({ key: "dedicated" }),
  }),
  same(
    "apart where a toleration comes with a fourth node",
    { apart: [apart()], ...tolerating({ key: "dedicated", operator: "Exists" }) },
    [...plain(3), dedicated("NoSchedule", "a")],
  ),
  changed(
    "apart where a toleration goes",
    { apart: [apart()], ...tolerating({ key: "dedicated", operator: "Exists" }) },
    { apart: [apart()], ...tolerating() },
    [...plain(2), dedicated("NoSchedule", "a")],
  ),
  first("NotIn on a label that a node lacks, two apart", labelled({ pool: "x" }, {}), {
    replicas: 2,
    pod: nodeAffinity([apart()], byLabel("pool", "NotIn", "x")),
  }),
  first("Gt by a label that is no number", labelled({ gen: "ten" }, { gen: "5" }), {
    replicas: 1,
    pod: nodeAffinity([], byLabel("gen", "Gt", "5")),
  }),
  first("an empty term alone", plain(1), { replicas: 1, pod: nodeAffinity([], {}) }),
  first("a field and an expression of one term on two nodes", plain(2), {
    replicas: 1,
    pod: nodeAffinity([], {
      ...byName("In", "CASE-node-1"),
      ...byLabel("grid.example/node", "In", "CASE-node-2"),
    }),
  }),
  first("NotIn by a field, three apart on three", plain(3), {
    replicas: 3,
    pod: nodeAffinity([apart()], byName("NotIn", "CASE-node-1")),
  }),
  changed(
    "affinity becomes a field of one node, old there",
    { replicas: 1, hostPort: 7003, pod: nodeAffinity([], byName("In", "CASE-node-1")) },
    { replicas: 1, hostPort: 7003, pod: nodeAffinity([], byName("NotIn", "CASE-node-1")) },
    plain(2),
  ),
];

const hostPorts: readonly GridCase[] = [
  same(
    "the same port by TCP and UDP, of one address each",
    ports(
      port({ hostIP: "10.0.0.1", name: "a" }),
      port({ protocol: "UDP", hostIP: "10.0.0.2", name: "b" }),
    ),
    plain(3),
  ),
  changed(
    "a second port by SCTP stays",
    ports(
      port({ protocol: "UDP", name: "a" }),
      port({ protocol: "SCTP", hostPort: 7005, containerPort: 7005, name: "b" }),
    ),
    ports(
      port({ protocol: "TCP", name: "a" }),
      port({ protocol: "SCTP", hostPort: 7005, containerPort: 7005, name: "b" }),
    ),
  ),
  changed(
    "a port of one address becomes that of all",
    ports(port({ hostIP: "10.0.0.1" })),
    ports(port()),
  ),
  changed(
    "a port of :: beside 127.0.0.1",
    ports(port({ hostIP: "::" })),
    ports(port({ hostIP: "127.0.0.1" })),
  ),
  changed(
    "hostNetwork takes the port of a hostPort",
    { hostPort: 7006 },
    { pod: { hostNetwork: true }, container: { ports: [{ containerPort: 7006 }] } },
  ),
  changed(
    "hostNetwork by UDP beside a hostPort by TCP",
    { hostPort: 7006 },
    {
      pod: { hostNetwork: true },
      container: { ports: [{ containerPort: 7006, protocol: "UDP" }] },
    },
  ),
];

export const ruleClasses = { nodeRules, hostPorts };

function tolerating(...all: readonly Fields[]): WorkloadOptions {
  const own = { key: "grid", operator: "Equal", value: "CASE", effect: "NoSchedule" };
  return { pod: { tolerations: [own, ...all] } };
}

function dedicated(effect: string, value?: string): GridNode {
  return { taints: [{ key: "dedicated", effect, ...(value !== undefined && { value }) }] };
}

function byName(operator: string, name: string): Fields {
  return { matchFields: [{ key: "metadata.name", operator, values: [name] }] };
}

function ports(...all: readonly Fields[]): WorkloadOptions {
  return { container: { ports: all } };
}

function port(more: Fields = {}): Fields {
  return { containerPort: 7001, hostPort: 7001, ...more };
}
