import { fc } from "../../support/fast-check.ts";
import {
  apart,
  byArgoHash,
  byHash,
  daemonSet,
  deployment,
  type Fields,
  type GridCase,
  type GridNode,
  hostname,
  rollout,
  service,
  statefulSet,
  type WorkloadOptions,
  web,
  zone,
} from "../../support/rollout-pieces.ts";

/** A workload that is created and changed. It is changed again if the first change got stuck. */
export interface RandomRollout {
  readonly first: GridCase;
  readonly next: GridCase;
  readonly again: GridCase;
}

/**
 * Returns rollouts with random combinations of the rules that other cases test separately. The same
 * seed returns the same rollouts.
 */
export function randomRollouts(seed: number, count: number): readonly RandomRollout[] {
  return fc
    .sample(drawn, { seed, numRuns: count })
    .map((each, index) => casesOf(`random ${seed}-${index + 1}`, each));
}

const kinds = ["Deployment", "Rollout", "StatefulSet", "DaemonSet"] as const;
type Kind = (typeof kinds)[number];

type Fraction = number | string;

/** The fields of a workload that can change. */
interface Drawn
  extends Pick<
    WorkloadOptions,
    "apart" | "together" | "spread" | "cpu" | "hostPort" | "labels" | "pod" | "container"
  > {
  readonly replicas: number;
  readonly surge: Fraction;
  readonly unavailable: Fraction;
  readonly spec?: Fields;
}

interface Change {
  readonly to: Drawn;
  /** The fields that change. */
  readonly fields: readonly (keyof Drawn)[];
}

interface Draw {
  readonly kind: Kind;
  /** The strategy of a Rollout. */
  readonly strategy: Fields;
  /** The immutable policy of a StatefulSet. */
  readonly podManagementPolicy: string;
  readonly nodes: readonly GridNode[];
  readonly around: readonly Fields[];
  readonly before: Drawn;
  readonly next: Change;
  readonly again: Change;
}

function casesOf(name: string, drawn: Draw): RandomRollout {
  const { nodes, around } = drawn;
  const changed = changedBy(drawn.before, drawn.next);
  const states = [drawn.before, changed, changedBy(changed, drawn.again)];
  const steps = states.map((state, index) => objectsOf(drawn, state, index + 1));
  const common = { nodes, around, isAroundOpen: true };
  return {
    first: { name: `${name}, first`, ...common, steps: steps.slice(0, 1) },
    next: { name: `${name}, changed`, ...common, steps: steps.slice(0, 2) },
    again: { name: `${name}, changed again`, ...common, steps, isStuckBefore: true },
  };
}

function changedBy(from: Drawn, { to, fields }: Change): Drawn {
  return { ...from, ...Object.fromEntries(fields.map((field) => [field, to[field]])) };
}

function objectsOf(
  { kind, strategy, podManagementPolicy }: Draw,
  state: Drawn,
  version: number,
): readonly Fields[] {
  const { surge, unavailable, ...rest } = state;
  switch (kind) {
    case "Deployment":
      return [deployment({ ...state, version })];
    case "StatefulSet":
      return [statefulSet({ ...rest, version, spec: { podManagementPolicy, ...rest.spec } })];
    case "DaemonSet":
      return [daemonSet({ ...rest, version, ...(surge === 0 ? { unavailable: 1 } : { surge }) })];
    case "Rollout":
      return [service("active"), rollout(strategy, { ...rest, version })];
  }
}

/* What is drawn. Percentages are such that about as many rollouts end as do not. */

function sometimes<T>(percent: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
    { weight: percent, arbitrary },
  );
}

/** Generates records without the omitted fields. */
function record(
  arbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): fc.Arbitrary<Fields> {
  return fc
    .record(arbitraries)
    .map((drawn) =>
      Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined)),
    );
}

const device = "example.com/device";

const nodes: fc.Arbitrary<readonly GridNode[]> = fc.array(
  record({
    labels: record({
      [zone]: sometimes(45, fc.constantFrom("zone-1", "zone-2", "zone-3")),
      pool: sometimes(60, fc.constantFrom("a", "b")),
    }),
    allocatable: sometimes(
      40,
      record({
        cpu: fc.constantFrom("2", "3", "4"),
        pods: sometimes(20, fc.constantFrom("1", "2", "4")),
        [device]: sometimes(50, fc.constantFrom("1", "2")),
      }),
    ),
    unschedulable: sometimes(8, fc.constant(true)),
    tainted: sometimes(8, fc.constant(true)),
    nameless: sometimes(5, fc.constant(true)),
  }),
  { minLength: 1, maxLength: 5 },
);

const versionLabels = fc.constantFrom("1", "2").map((v) => ({ app: "web", v }));

const selectors = fc.oneof(
  { weight: 60, arbitrary: fc.constant({ matchLabels: web }) },
  { weight: 10, arbitrary: versionLabels.map((matchLabels) => ({ matchLabels })) },
  { weight: 10, arbitrary: fc.constant({ matchLabels: { app: "db" } }) },
  {
    weight: 10,
    arbitrary: fc.constant({
      matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }],
    }),
  },
  { weight: 10, arbitrary: fc.constant({}) },
);

function hashOf(kind: Kind): { readonly matchLabelKeys: readonly string[] } {
  switch (kind) {
    case "Deployment":
      return byHash;
    case "Rollout":
      return byArgoHash;
    default:
      return { matchLabelKeys: ["controller-revision-hash"] };
  }
}

function terms(kind: Kind): fc.Arbitrary<Fields> {
  const { matchLabelKeys } = hashOf(kind);
  const keyed = fc.constantFrom({}, {}, { matchLabelKeys }, { mismatchLabelKeys: matchLabelKeys });
  return fc
    .tuple(
      fc.constantFrom(hostname, hostname, zone),
      selectors,
      keyed,
      sometimes(6, fc.constant({})),
    )
    .map(([topologyKey, labelSelector, keys, namespaceSelector]) =>
      apart({
        ...{ topologyKey, labelSelector },
        // The API server rejects keys next to a selector that matches everything.
        ...(Object.keys(labelSelector).length === 0 ? {} : keys),
        ...(namespaceSelector && { namespaceSelector }),
      }),
    );
}

function spreads(kind: Kind): fc.Arbitrary<Fields> {
  return record({
    maxSkew: fc.integer({ min: 1, max: 2 }),
    topologyKey: fc.constantFrom(hostname, zone),
    whenUnsatisfiable: fc.constant("DoNotSchedule"),
    labelSelector: fc.constant({ matchLabels: web }),
    matchLabelKeys: sometimes(40, fc.constant(hashOf(kind).matchLabelKeys)),
    minDomains: sometimes(20, fc.integer({ min: 1, max: 4 })),
    nodeTaintsPolicy: sometimes(20, fc.constant("Honor")),
    nodeAffinityPolicy: sometimes(20, fc.constant("Ignore")),
  });
}

const pods = record({
  priorityClassName: sometimes(40, fc.constantFrom("grid-urgent", "grid-low", "grid-patient")),
  hostNetwork: sometimes(15, fc.constant(true)),
  nodeSelector: sometimes(
    30,
    fc.constantFrom("a", "b").map((pool) => ({ grid: "CASE", pool })),
  ),
  tolerations: sometimes(
    20,
    fc.constant([
      { key: "grid", operator: "Equal", value: "CASE", effect: "NoSchedule" },
      { key: "reserved", operator: "Exists" },
    ]),
  ),
  initContainers: sometimes(
    30,
    fc
      .record({ cpu: fc.constantFrom("1", "3"), restarts: fc.boolean() })
      .map(({ cpu, restarts }) => [
        {
          ...{ name: "init", image: "init:1", resources: { requests: { cpu } } },
          ...(restarts && { restartPolicy: "Always" }),
        },
      ]),
  ),
});

const withDevice = { resources: { limits: { [device]: "1" } } };

const pace = fc
  .tuple(fc.constantFrom(0, 1, 1, 2, "25%", "50%"), fc.constantFrom(0, 0, 1, 2, "25%", "50%"))
  .map(([surge, unavailable]) => ({
    surge,
    unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable,
  }));

function specs(kind: Kind): fc.Arbitrary<Fields | undefined> {
  switch (kind) {
    case "Deployment":
      return sometimes(
        15,
        fc.constantFrom<Fields>(
          { strategy: { type: "Recreate", rollingUpdate: null } },
          { paused: true },
          { minReadySeconds: 1 },
        ),
      );
    case "DaemonSet":
      return sometimes(8, fc.constant({ updateStrategy: { type: "OnDelete" } }));
    case "StatefulSet":
      return sometimes(
        15,
        fc
          .integer({ min: 0, max: 3 })
          .map((partition) => ({ updateStrategy: { rollingUpdate: { partition } } })),
      );
    default:
      return fc.constant(undefined);
  }
}

function workloads(kind: Kind): fc.Arbitrary<Drawn> {
  const drawn = record({
    apart: sometimes(55, fc.array(terms(kind), { minLength: 1, maxLength: 2 })),
    together: sometimes(
      8,
      fc.constantFrom(hostname, zone).map((topologyKey) => [apart({ topologyKey })]),
    ),
    spread: sometimes(30, fc.tuple(spreads(kind))),
    cpu: sometimes(45, fc.constantFrom("500m", "1", "1500m", "2", "3")),
    hostPort: sometimes(12, fc.constantFrom(8080, 9090)),
    labels: sometimes(30, versionLabels),
    pod: sometimes(25, pods),
    container: sometimes(6, fc.constant(withDevice)),
    replicas: fc.integer({ min: 1, max: 5 }),
    spec: specs(kind),
  });
  return fc
    .tuple(drawn, pace)
    .map(([fields, rolling]) => ({ ...(fields as unknown as Drawn), ...rolling }));
}

const strategies: fc.Arbitrary<Fields> = fc.oneof(
  fc.constantFrom(0, 5).map((scaleDownDelaySeconds) => ({
    blueGreen: { activeService: "active", scaleDownDelaySeconds },
  })),
  fc
    .tuple(pace, fc.array(fc.constantFrom(10, 20, 33, 50, 80, 100), { maxLength: 3 }))
    .map(([{ surge, unavailable }, weights]) => ({
      canary: {
        ...{ maxSurge: surge, maxUnavailable: unavailable },
        steps: weights.map((setWeight) => ({ setWeight })),
      },
    })),
);

/** Another workload, and limits of the namespace. */
const surroundings: fc.Arbitrary<readonly Fields[]> = fc
  .tuple(
    sometimes(
      25,
      fc
        .record({
          replicas: fc.integer({ min: 1, max: 2 }),
          app: fc.constantFrom(undefined, "db", "web"),
          isLow: fc.boolean(),
        })
        .map(({ replicas, app, isLow }) =>
          deployment({
            ...{ name: "db", labels: { app: "db" }, replicas },
            ...(isLow && { cpu: "1", pod: { priorityClassName: "grid-low" } }),
            ...(app && { apart: [apart({}, { app })] }),
          }),
        ),
    ),
    sometimes(
      12,
      fc.integer({ min: 2, max: 6 }).map((most) => ({
        ...{ apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "most" } },
        spec: { hard: { pods: String(most) } },
      })),
    ),
  )
  .map((found) => found.filter((each) => each !== undefined));

const changeable: readonly (keyof Drawn)[] = [
  ...(["apart", "together", "spread", "cpu", "hostPort", "labels", "pod"] as const),
  ...(["container", "replicas", "surge", "unavailable", "spec"] as const),
];

const drawn: fc.Arbitrary<Draw> = fc
  .constantFrom(...kinds, "Deployment", "Deployment", "Rollout")
  .chain((kind) => {
    const change = fc.record({
      to: workloads(kind),
      fields: fc.subarray([...changeable], { maxLength: 4 }),
    });
    return fc.record({
      kind: fc.constant(kind),
      podManagementPolicy: fc.constantFrom("OrderedReady", "OrderedReady", "Parallel"),
      ...{ strategy: strategies, nodes, around: surroundings, before: workloads(kind) },
      ...{ next: change, again: change },
    });
  });
