import {
  apart,
  byArgoHash,
  type Fields,
  type GridCase,
  plain,
  rollout,
  type WorkloadOptions,
  zone,
  zones,
} from "../../../support/rollout-pieces.ts";

const tight = { apart: [apart()] };
const w = (setWeight: number): Fields => ({ setWeight });
const steps = (...all: Fields[]): Fields => ({ steps: all });
const can = (...all: Fields[]): Fields => ({ canary: Object.assign({}, ...all) });
const pace = (maxSurge: number | string, maxUnavailable: number | string): Fields => ({
  maxSurge,
  maxUnavailable,
});

function one(
  name: string,
  strategy: Fields,
  options: WorkloadOptions,
  nodes: number,
  after: WorkloadOptions = {},
  more: Partial<GridCase> = {},
): GridCase {
  return {
    name: `canary: ${name}`,
    nodes: plain(nodes),
    steps: [
      [rollout(strategy, { ...tight, ...options })],
      [rollout(strategy, { ...tight, ...options, version: 2, ...after })],
    ],
    ...more,
  };
}
function revisions(
  name: string,
  strategy: Fields,
  nodes: number,
  all: readonly WorkloadOptions[],
  more: Partial<GridCase> = {},
): GridCase {
  return {
    name: `canary: ${name}`,
    nodes: plain(nodes),
    isStuckBefore: true,
    steps: all.map((each) => [rollout(strategy, { ...tight, ...each })]),
    ...more,
  };
}
const wait = { pause: { duration: "1s" } };

const canaries: readonly GridCase[] = [
  one("no steps, surge 1% and 0", can(pace("1%", 0)), { replicas: 3 }, 3),
  one(
    "a weight of 5 of 1, one node more",
    can(steps(w(5), wait)),
    { replicas: 1 },
    2,
    {},
    { pauses: true },
  ),
  one("a weight of 40 of 4", can(steps(w(40))), { replicas: 4 }, 4),
  one("a weight of 12 of 7", can(steps(w(12))), { replicas: 7 }, 7),
  one("a weight of 14 of 7", can(steps(w(14))), { replicas: 7 }, 7),
  one("a weight of 60 of 3", can(steps(w(60))), { replicas: 3 }, 3),
  one("a weight of 99 of 3", can(steps(w(99))), { replicas: 3 }, 3),
  one("a weight of 100, then 50 of 2", can(steps(w(100), w(50))), { replicas: 2 }, 2),
  one(
    "a pause without an end after a fitting weight",
    can(steps(w(34), { pause: {} }, w(50))),
    { replicas: 3 },
    3,
  ),
  one(
    "by percent 50% surge and 50% unavailable, a weight of 25 of 4",
    can(steps(w(25)), pace("50%", "50%")),
    { replicas: 4 },
    4,
  ),
  one(
    "a weight of 5 of 10, one unavailable, no surge",
    can(steps(w(5)), pace(0, 1)),
    { replicas: 10 },
    10,
  ),
  one(
    "minimum of two Pods, a weight of 25 of 4",
    can(steps(w(25)), { minPodsPerReplicaSet: 2 }),
    { replicas: 4 },
    4,
  ),
  one("grown 2 to 4 with a weight of 50", can(steps(w(50))), { replicas: 2 }, 4, { replicas: 4 }),
  one("shrunk 4 to 3 with a weight of 20", can(steps(w(20))), { replicas: 4 }, 4, { replicas: 3 }),
  revisions("stuck at a weight of 20, and the next image", can(steps(w(20))), 3, [
    {},
    { version: 2 },
    { version: 3 },
  ]),
  revisions("stuck at a weight of 20, and by hash", can(steps(w(20))), 3, [
    {},
    { version: 2 },
    { version: 3, apart: [apart(byArgoHash)] },
  ]),
  revisions("broken at a weight of 34, and the next image", can(steps(w(34))), 3, [
    {},
    { version: 2, behaviour: "never-ready" },
    { version: 3 },
  ]),
  {
    name: "canary: the steps change with the template to tight ones",
    nodes: plain(3),
    steps: [
      [rollout(can(steps(w(34))), tight)],
      [rollout(can(steps(w(20))), { ...tight, version: 2 })],
    ],
  },
  revisions("old ones are broken, no steps, none unavailable", can(pace(1, 0)), 3, [
    { behaviour: "never-ready" },
    {},
  ]),
  {
    ...one(
      "zone by hash and host, weight 34, in 1 1 1",
      can(steps(w(34))),
      { apart: [apart({ topologyKey: zone })] },
      3,
    ),
    nodes: zones(1, 1, 1),
  },
  {
    ...one(
      "zone, a weight of 20, in 2 2 2",
      can(steps(w(20))),
      { apart: [apart({ topologyKey: zone })] },
      3,
    ),
    nodes: zones(2, 2, 2),
  },
  one(
    "required anti-affinity of its own, a weight of 20",
    can({ antiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } }, steps(w(20))),
    { apart: [], replicas: 2 },
    2,
  ),
];

export const canaryClasses = { canaries };
