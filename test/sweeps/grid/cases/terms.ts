import {
  apart,
  byHash,
  daemonSet,
  deployment,
  type Fields,
  type GridCase,
  type GridNode,
  hostname,
  plain,
  type WorkloadOptions,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";
import { changed, first, spread } from "../situations.ts";

/** Selectors of terms with every operator, on both sides of each boundary. */
const operators: readonly GridCase[] = [
  changed("apart from all but another application", but("NotIn", "db"), but("NotIn", "db")),
  changed("apart from all but itself", but("NotIn", "web"), but("NotIn", "web")),
  changed(
    "apart from what has no track, which old Pods lack",
    {},
    {
      ...{ labels: { app: "web", track: "a" }, apart: [without("track")] },
    },
  ),
  changed(
    "old Pods keep away what has no track, which new ones have",
    { apart: [without("track")] },
    { labels: { app: "web", track: "a" } },
  ),
  changed("a term without a selector", unselective(), unselective()),
  changed("a version as key that changes", byVersion("1", "version"), byVersion("2", "version")),
  changed("a version as key that stays", byVersion("1", "version"), byVersion("1", "version")),
  changed("a version as key that new Pods lack", byVersion("1", "version"), {
    apart: [apart({ matchLabelKeys: ["version"] })],
  }),
  changed(
    "a term for a namespace by name and by a label of its own",
    { apart: [apart({ namespaces: ["nowhere"], namespaceSelector: ownNamespace("Exists") })] },
    { apart: [apart({ namespaces: ["nowhere"], namespaceSelector: ownNamespace("Exists") })] },
  ),
  changed(
    "a term for namespaces that lack the label that all have",
    { apart: [apart({ namespaceSelector: ownNamespace("DoesNotExist") })] },
    { apart: [apart({ namespaceSelector: ownNamespace("DoesNotExist") })] },
  ),
  otherNamespace("NotIn", "kube-system", "db"),
  otherNamespace("NotIn", "CASE-other", "db"),
  otherNamespace("In", "CASE-other", "db"),
  otherNamespace("In", "kube-system", "db"),
  otherNamespace("NotIn", "CASE-other", "web"),
  keptAwayFrom("NotIn", "CASE-other"),
  keptAwayFrom("NotIn", "kube-system"),
  tenants("on two nodes, one of which is another's", plain(2), 1),
  tenants("on two nodes, both of which are another's", plain(2), 2),
];

/** Pods in the same zone, but not on the same node. */
const huddled = (options: Fields = {}): WorkloadOptions => ({
  ...{ replicas: 2, apart: [apart()], together: [apart({ topologyKey: zone, ...options })] },
});

const huddles: readonly GridCase[] = [
  changed("in one zone of two nodes, apart", huddled(), huddled(), zones(2, 2)),
  changed("in one zone of three nodes, apart", huddled(), huddled(), zones(3, 3)),
  changed("each revision in one zone of two nodes", huddled(byHash), huddled(byHash), zones(2, 2)),
  {
    name: "two new ones that want to be with each other",
    nodes: plain(2),
    steps: [[mate("web", "api"), mate("api", "web")]],
  },
  {
    name: "two that want to be with each other, one of which is there",
    nodes: plain(2),
    steps: [[deployment({ replicas: 1 })], [mate("web", "api", 2), mate("api", "web")]],
  },
  agent("on all nodes keeps it away", {}),
  agent("on some nodes keeps it away", { pod: { nodeSelector: { grid: "CASE", pool: "new" } } }),
];

const unevenly = { cpu: "2", spread: [spread()] };
const spreads: readonly GridCase[] = [
  first("spread over a node that is too small, one for each other", beside(), {
    ...{ ...unevenly, replicas: 2 },
  }),
  first("spread over a node that is too small, one more", beside(), { ...unevenly, replicas: 3 }),
  first("spread by two over a node that is too small", beside(), {
    ...{ replicas: 4, cpu: "2", spread: [spread({ maxSkew: 2 })] },
  }),
  first("spread by two over a node that is too small, one more", beside(), {
    ...{ replicas: 5, cpu: "2", spread: [spread({ maxSkew: 2 })] },
  }),
  first("spread over two zones of which there is one, by one", zones(2), {
    ...{ replicas: 1, spread: [spread({ topologyKey: zone, minDomains: 2 })] },
  }),
  first("spread over two zones of which there is one, by two", zones(2), {
    ...{ replicas: 2, spread: [spread({ topologyKey: zone, minDomains: 2 })] },
  }),
  cordonedMeanwhile("which counts", {}),
  cordonedMeanwhile("which does not count", { nodeTaintsPolicy: "Honor" }),
  first("spread by zone if it can be, and by hostname", zones(1, 3), {
    replicas: 4,
    spread: [spread({ topologyKey: zone, whenUnsatisfiable: "ScheduleAnyway" }), spread()],
  }),
  first("spread by zone, and by hostname if it can be, one zone small", smallZone(), {
    replicas: 3,
    cpu: "20",
    spread: [spread({ topologyKey: zone }), spread({ whenUnsatisfiable: "ScheduleAnyway" })],
  }),
];

export const termClasses = { operators, huddles, spreads };

function but(operator: string, app: string): WorkloadOptions {
  const matchExpressions = [{ key: "app", operator, values: [app] }];
  return { apart: [apart({ labelSelector: { matchExpressions } })] };
}

function without(key: string): Fields {
  return apart({ labelSelector: { matchExpressions: [{ key, operator: "DoesNotExist" }] } });
}

function unselective(): WorkloadOptions {
  return { apart: [{ topologyKey: hostname }] };
}

function byVersion(version: string, key: string): WorkloadOptions {
  return { labels: { app: "web", version }, apart: [apart({ matchLabelKeys: [key] })] };
}

function ownNamespace(operator: string): Fields {
  return { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator }] };
}

function byNamespace(operator: string, value: string, app: string): readonly Fields[] {
  const key = "kubernetes.io/metadata.name";
  const namespaceSelector = { matchExpressions: [{ key, operator, values: [value] }] };
  return [apart({ namespaceSelector }, { app })];
}

/**
 * Returns a case with a Pod of the namespace CASE-other on each of two nodes. The term's selector
 * matches that namespace or not.
 */
function otherNamespace(operator: string, value: string, app: string): GridCase {
  return {
    name: `apart from ${app} in namespaces by name ${operator} ${value}`,
    nodes: plain(2),
    steps: [
      [...elsewhere({ replicas: 2, spread: [spread({}, { app: "db" })] })],
      [
        ...elsewhere({ replicas: 2, spread: [spread({}, { app: "db" })] }),
        deployment({ replicas: 1, apart: byNamespace(operator, value, app) }),
      ],
    ],
  };
}

/** Returns a case in which the Pods of the other namespace have the term. */
function keptAwayFrom(operator: string, value: string): GridCase {
  const options = { apart: byNamespace(operator, value, "web"), replicas: 1 };
  return {
    name: `kept away by Pods of another namespace by name ${operator} ${value}`,
    nodes: plain(1),
    steps: [[...elsewhere(options)], [...elsewhere(options), deployment({ replicas: 1 })]],
  };
}

function elsewhere(options: WorkloadOptions): readonly Fields[] {
  const own = deployment({ ...options, name: "db", labels: { app: "db" } });
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "CASE-other" } },
    { ...own, metadata: { name: "db", namespace: "CASE-other" } },
  ];
}

/** Returns nodes that each accept only one application. */
function tenants(name: string, nodes: readonly GridNode[], others: number): GridCase {
  const selector = { matchExpressions: [{ key: "app", operator: "Exists" }] };
  const alone = [apart({ labelSelector: selector, mismatchLabelKeys: ["app"] })];
  const other = {
    name: "db",
    labels: { app: "db" },
    replicas: others,
    spread: [spread({}, { app: "db" })],
  };
  return {
    ...changed(
      `of one application a node, ${name}`,
      { replicas: 2, apart: alone },
      {
        ...{ replicas: 2, apart: alone },
      },
    ),
    nodes,
    around: [deployment(other)],
    isStuckBefore: others > 1,
  };
}

function mate(app: string, other: string, version = 1): Fields {
  const together = [apart({}, { app: other })];
  return deployment({ name: app, labels: { app }, replicas: 1, together, version });
}

/** Returns a case with a DaemonSet in the same deployment. */
function agent(name: string, options: WorkloadOptions): GridCase {
  const metadata = { labels: { app: "agent" } };
  const set = daemonSet({ ...options, name: "agent", labels: { app: "agent" } });
  const own = { ...(set.spec as Fields), selector: { matchLabels: metadata.labels } };
  return {
    name: `Deployment: an agent ${name}`,
    nodes: [{}, { labels: { pool: "new" } }],
    steps: [
      [{ ...set, spec: own }, deployment({ replicas: 1 })],
      [
        { ...set, spec: own },
        deployment({ replicas: 1, version: 2, apart: [apart({}, { app: "agent" })] }),
      ],
    ],
  };
}

function beside(): readonly GridNode[] {
  return [...plain(2), { allocatable: { cpu: "1" } }];
}

function smallZone(): readonly GridNode[] {
  return zones(1, 1, 1).map((node, index) =>
    index === 2 ? { ...node, allocatable: { cpu: "1" } } : node,
  );
}

/** Returns a case in which only new Pods are counted. */
function cordonedMeanwhile(name: string, options: Fields): GridCase {
  const both = { spread: [spread({ ...byHash, ...options })] };
  return {
    ...changed(`spread by revision beside a node that was cordoned, ${name}`, both, both),
    meanwhile: [["cordon", "CASE-node-3"]],
  };
}
