import {
  apart,
  deployment,
  type Fields,
  type GridCase,
  type GridNode,
  plain,
  service,
  type WorkloadOptions,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import { beside, changed, first, hostIp, hostNetwork, spread } from "../situations.ts";

/** Affinity between Pods, on both sides of each boundary. */
const company: readonly GridCase[] = [
  attracted("two terms, of which each has a Pod, but no Pod has both", [
    { name: "db", labels: { app: "db" } },
    { name: "cache", labels: { app: "cache" } },
  ]),
  attracted("two terms, which one Pod has both", [
    { name: "db", labels: { app: "db", second: "cache" } },
  ]),
  {
    ...first("attracted by themselves and by another application", plain(2), {
      together: [apart(), apart({}, { app: "db" })],
    }),
    around: [deployment({ name: "db", labels: { app: "db" }, replicas: 1 })],
  },
  first("attracted by all but one application", plain(2), {
    together: [apart({ labelSelector: expression("app", "NotIn", ["db"]) })],
  }),
  changed("attracted by themselves, and moved", { replicas: 2, together: [apart()] }, moved(), [
    {},
    { labels: { pool: "new" } },
  ]),
  changed(
    "a term by zone, where one node is in none",
    { replicas: 2, apart: [apart({ topologyKey: zone })] },
    { replicas: 2, apart: [apart({ topologyKey: zone })] },
    [...zones(1, 1), {}],
  ),
  changed("old Pods keep away what new ones become", track("a", "b"), track("b", "c")),
  changed("old Pods keep away what nobody becomes", track("a", "c"), track("b", "c")),
  changed("a mismatch key that stays", tenant("a"), tenant("a")),
  changed("a mismatch key that changes", tenant("a"), tenant("b")),
  changed("a term for namespaces with any label", labelledNamespaces(), labelledNamespaces()),
  changed(
    "a term for namespaces with a label that none has",
    { apart: [apart({ namespaceSelector: { matchLabels: { nobody: "has" } } })] },
    { apart: [apart({ namespaceSelector: { matchLabels: { nobody: "has" } } })] },
  ),
  {
    ...beside(
      "another application that keeps it away from its zone",
      { replicas: 1, apart: [apart({ topologyKey: zone })] },
      { replicas: 1 },
      {},
      2,
    ),
    nodes: zones(2),
  },
  {
    ...beside(
      "another application that keeps it away from its zone, with another zone",
      { replicas: 1, apart: [apart({ topologyKey: zone })] },
      { replicas: 1 },
      {},
      2,
    ),
    nodes: zones(1, 1),
  },
];

const spreading: readonly GridCase[] = [
  first("spread where nodes that it may not use count", racks("a"), {
    ...{ replicas: 4, pod: { nodeSelector: { grid: "CASE", pool: "new" } } },
    spread: [spread({ topologyKey: "grid.example/rack-a", nodeAffinityPolicy: "Ignore" })],
  }),
  first("spread where nodes that it may not use don't count", racks("b"), {
    ...{ replicas: 4, pod: { nodeSelector: { grid: "CASE", pool: "new" } } },
    spread: [spread({ topologyKey: "grid.example/rack-b" })],
  }),
  first("spread with a skew of two", zones(1, 3), {
    ...{ replicas: 4, cpu: "20", spread: [spread({ topologyKey: zone, maxSkew: 2 })] },
  }),
  first("spread with a skew of one", zones(1, 3), {
    ...{ replicas: 4, cpu: "20", spread: [spread({ topologyKey: zone })] },
  }),
  first("spread only if it can be", zones(1, 3), {
    replicas: 4,
    cpu: "20",
    spread: [spread({ topologyKey: zone, whenUnsatisfiable: "ScheduleAnyway" })],
  }),
  first("spread by zone and by hostname", zones(2, 1), {
    replicas: 4,
    spread: [spread({ topologyKey: zone }), spread()],
  }),
  first("spread by the Pods of others", plain(1), { spread: [spread({}, { app: "db" })] }),
  first("spread beside a cordoned zone", cordonedZone(), {
    spread: [spread({ topologyKey: zone })],
  }),
  first("spread beside a cordoned zone that does not count", cordonedZone(), {
    spread: [spread({ topologyKey: zone, nodeTaintsPolicy: "Honor", minDomains: 2 })],
  }),
  first("spread beside a cordoned zone that is asked for", cordonedZone(), {
    spread: [spread({ topologyKey: zone, nodeTaintsPolicy: "Honor", minDomains: 3 })],
  }),
  first("spread by two keys, one of which a node lacks", [...zones(1, 1), { labels: {} }], {
    replicas: 3,
    cpu: "20",
    spread: [spread({ topologyKey: zone, maxSkew: 3 }), spread({ maxSkew: 3 })],
  }),
];

const taints: readonly GridCase[] = [
  first("on nodes that throw Pods out", tainted("NoExecute"), {}),
  first("on nodes that throw Pods out, tolerated for an hour", tainted("NoExecute"), {
    pod: tolerating({ key: "reserved", operator: "Exists", tolerationSeconds: 3600 }, "NoExecute"),
  }),
  first("a toleration of another effect", tainted("NoSchedule"), {
    pod: tolerating({ key: "reserved", operator: "Exists" }, "NoExecute"),
  }),
  first("a toleration of another value", tainted("NoSchedule"), {
    pod: tolerating({ key: "reserved", value: "false" }, "NoSchedule"),
  }),
  first("a toleration of everything", tainted("NoSchedule"), {
    pod: { tolerations: [{ operator: "Exists" }] },
  }),
  first("a taint that nobody has to mind", tainted("PreferNoSchedule"), {}),
  first("a cordon that is tolerated", plain(2, { unschedulable: true }), {
    pod: tolerating({ key: "node.kubernetes.io/unschedulable", operator: "Exists" }, "NoSchedule"),
  }),
];

const onNode = { nodeName: "CASE-node-1" };

const chosen: readonly GridCase[] = [
  first("on a node by name, apart", plain(2), { replicas: 2, apart: [apart()], pod: onNode }),
  first("on a cordoned node by name", plain(1, { unschedulable: true }), { pod: onNode }),
  changed(
    "on a node by name, apart",
    { replicas: 2, apart: [apart()], pod: onNode },
    { replicas: 2, apart: [apart()], pod: onNode },
  ),
  first("on a node by a field, two apart", plain(2), {
    replicas: 2,
    pod: withNodeTerms(
      [{ matchFields: [requirement("metadata.name", "In", ["CASE-node-1"])] }],
      [apart()],
    ),
  }),
  first("on nodes with more than", plain(2, { labels: { cores: "8" } }), {
    pod: withNodeTerms([{ matchExpressions: [requirement("cores", "Gt", ["7"])] }]),
  }),
  first("on nodes with more than there is", plain(2, { labels: { cores: "8" } }), {
    pod: withNodeTerms([{ matchExpressions: [requirement("cores", "Gt", ["8"])] }]),
  }),
  first("on nodes of one of two terms", [{ labels: { disk: "ssd" } }, {}], {
    pod: withNodeTerms([
      { matchExpressions: [requirement("disk", "In", ["nvme"])] },
      { matchExpressions: [requirement("disk", "Exists", [])] },
    ]),
  }),
  first("on nodes of one term with two sides", [{ labels: { disk: "ssd" } }, {}], {
    pod: withNodeTerms([
      {
        matchExpressions: [
          requirement("disk", "Exists", []),
          requirement("disk", "NotIn", ["ssd"]),
        ],
      },
    ]),
  }),
];

const ports: readonly GridCase[] = [
  changed("a host port of all IPv6 addresses beside one of IPv4", hostIp("::"), hostIp("10.0.0.1")),
  changed("a host port of all IPv6 addresses twice", hostIp("::"), hostIp("::")),
  changed("a host port of all addresses beside one of IPv6", hostIp("0.0.0.0"), hostIp("::1")),
  changed("the network of the host is left, the port stays", hostNetwork(), { hostPort: 5050 }),
  changed("the network of the host is left", hostNetwork(), {
    container: { ports: [{ containerPort: 5050 }] },
  }),
  first("two with the same host port on one node", plain(1), { replicas: 2, hostPort: 8080 }),
];

export const nodeClasses = {
  company,
  spreading,
  taints,
  chosen,
  ports,
};

function attracted(name: string, others: readonly WorkloadOptions[]): GridCase {
  const [one] = others;
  const second = others[1] === undefined ? { second: "cache" } : { app: "cache" };
  const together = [apart({}, { app: "db" }), apart({}, second)];
  return {
    ...first(name, plain(1), { replicas: 1, together }),
    around: [one, ...others.slice(1)].map((each) => deployment({ ...each, replicas: 1 })),
    steps: [[service("web"), deployment({ replicas: 1, together })]],
  };
}

function moved(): WorkloadOptions {
  const pod = { nodeSelector: { grid: "CASE", pool: "new" } };
  return { replicas: 2, together: [apart()], pod };
}

/** Returns Pods of one track that exclude Pods of another. */
function track(own: string, other: string): WorkloadOptions {
  return { labels: { app: "web", track: own }, apart: [apart({}, { track: other })] };
}

function tenant(own: string): WorkloadOptions {
  const term = apart({
    labelSelector: expression("tenant", "Exists"),
    mismatchLabelKeys: ["tenant"],
  });
  return { labels: { app: "web", tenant: own }, apart: [term] };
}

function labelledNamespaces(): WorkloadOptions {
  const namespaceSelector = expression("kubernetes.io/metadata.name", "Exists");
  return { apart: [apart({ namespaceSelector })] };
}

function expression(key: string, operator: string, values?: readonly string[]): Fields {
  return { matchExpressions: [{ key, operator, ...(values && { values }) }] };
}

function requirement(key: string, operator: string, values: readonly string[]): Fields {
  return { key, operator, ...(values.length > 0 && { values }) };
}

function withNodeTerms(
  nodeSelectorTerms: readonly Fields[],
  terms: readonly Fields[] = [],
): Fields {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const nodeAffinity = { [required]: { nodeSelectorTerms } };
  return { affinity: { nodeAffinity, podAntiAffinity: { [required]: terms } } };
}

/**
 * Returns two nodes that the workload can use, and two others. Each is in its own rack, and the
 * topology key is unique to the case.
 */
function racks(name: string): readonly GridNode[] {
  return ["1", "2", "3", "4"].map((rack) => ({
    labels: { [`grid.example/rack-${name}`]: rack, ...(rack < "3" && { pool: "new" }) },
  }));
}

function cordonedZone(): readonly GridNode[] {
  return [...zones(1, 1), { labels: { [zone]: "zone-3" }, unschedulable: true }];
}

function tainted(effect: string): readonly GridNode[] {
  return plain(2, { taints: [{ key: "reserved", value: "true", effect }] });
}

function tolerating(toleration: Fields, effect: string): Fields {
  const own = { key: "grid", operator: "Equal", value: "CASE", effect: "NoSchedule" };
  return { tolerations: [own, { ...toleration, effect }] };
}
