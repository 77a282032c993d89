import {
  apart,
  byArgoHash,
  type Fields,
  type GridCase,
  plain,
  rollout,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import { services } from "../situations.ts";
import { bg, ingress } from "./pieces.ts";

const tight = { apart: [apart()] };
const w = (setWeight: number): Fields => ({ setWeight });
const can = (...all: Fields[]): Fields => ({ canary: Object.assign({}, ...all) });
const traffic = (...all: Fields[]): Fields =>
  can(
    {
      canaryService: "preview",
      stableService: "active",
      trafficRouting: { nginx: { stableIngress: "web" } },
    },
    ...all,
  );
const routed = (name: string, strategy: Fields, replicas: number, nodes: number): GridCase => ({
  name: `traffic: ${name}`,
  nodes: plain(nodes),
  steps: [1, 2].map((version) => [
    rollout(strategy, { ...tight, replicas, version }),
    ...services,
    ingress(),
  ]),
});
const half = { maxTrafficWeight: 10000, nginx: { stableIngress: "web" } };
const routes: GridCase[] = [
  routed(
    "maximum weight of 10000, weight 5000, 2 on 4",
    traffic({ steps: [w(5000)], trafficRouting: half }),
    2,
    4,
  ),
  routed(
    "maximum weight of 10000, weight 5000, 2 on 3",
    traffic({ steps: [w(5000)], trafficRouting: half }),
    2,
    3,
  ),
  routed(
    "maximum weight of 10000, weight 5000, dynamic, 2 on 3",
    traffic({ steps: [w(5000)], trafficRouting: half, dynamicStableScale: true }),
    2,
    3,
  ),
  routed(
    "maximum weight of 10000, weight 2500, dynamic, 4 on 6",
    traffic({ steps: [w(2500)], trafficRouting: half, dynamicStableScale: true }),
    4,
    6,
  ),
  routed(
    "maximum weight of 10000, weight 2500, dynamic, 4 on 7",
    traffic({ steps: [w(2500)], trafficRouting: half, dynamicStableScale: true }),
    4,
    7,
  ),
  routed("dynamic, weight 10, 3 on 5", traffic({ steps: [w(10)], dynamicStableScale: true }), 3, 5),
  routed("dynamic, weight 10, 3 on 6", traffic({ steps: [w(10)], dynamicStableScale: true }), 3, 6),
  routed(
    "dynamic, weights 34 and 67, 3 on 5",
    traffic({ steps: [w(34), w(67)], dynamicStableScale: true }),
    3,
    5,
  ),
  routed(
    "dynamic, weights 33 and 66, 3 on 4",
    traffic({ steps: [w(33), w(66)], dynamicStableScale: true }),
    3,
    4,
  ),
  routed(
    "dynamic, minimum of two, weight 25, 4 on 6",
    traffic({ steps: [w(25)], dynamicStableScale: true, minPodsPerReplicaSet: 2 }),
    4,
    6,
  ),
  routed(
    "dynamic, scale of one, weight 50, 2 on 3",
    traffic({
      steps: [
        { setCanaryScale: { replicas: 1 } },
        w(50),
        { setCanaryScale: { matchTrafficWeight: true } },
      ],
      dynamicStableScale: true,
    }),
    2,
    3,
  ),
  routed(
    "dynamic, up and down, 3 on 5",
    traffic({ steps: [w(67), w(34)], dynamicStableScale: true }),
    3,
    5,
  ),
];
const color = (
  name: string,
  strategy: Fields,
  versions: number[],
  replicas: number,
  nodes: number,
  more: Partial<GridCase> = {},
  pods: WorkloadOptions = tight,
): GridCase => ({
  name: `blue/green: ${name}`,
  nodes: plain(nodes),
  steps: versions.map((version) => [
    rollout(strategy, { version, replicas, ...pods }),
    ...services,
  ]),
  ...more,
});
const byHand = { autoPromotionEnabled: false };
const blueGreenCase: GridCase[] = [
  color("manual promotion, next image, a delay of none, 2 on 4", bg(byHand), [1, 2, 3], 2, 4, {
    keepsControllerBusy: true,
  }),
  color("manual promotion, next image, a delay of none, 2 on 6", bg(byHand), [1, 2, 3], 2, 6),
  color(
    "manual promotion, next image, a delay of 2 s, 2 on 4",
    bg(byHand, { scaleDownDelaySeconds: 2 }),
    [1, 2, 3],
    2,
    4,
  ),
  color(
    "manual promotion, next image, a delay of 2 s, 2 on 3",
    bg(byHand, { scaleDownDelaySeconds: 2 }),
    [1, 2, 3],
    2,
    3,
    { isStuckBefore: true },
  ),
  color("next image, a delay of none, 2 on 4", bg(), [1, 2, 3], 2, 4),
  color(
    "next image, a delay of an hour, none kept, 2 on 4",
    bg({ scaleDownDelaySeconds: 3600, scaleDownDelayRevisionLimit: 0 }),
    [1, 2, 3],
    2,
    4,
  ),
  color(
    "next image, a delay of an hour, one kept, 2 on 6",
    bg({ scaleDownDelaySeconds: 3600, scaleDownDelayRevisionLimit: 1 }),
    [1, 2, 3, 4],
    2,
    6,
  ),
  color("manual promotion back, 2 on 4", bg(byHand), [1, 2, 1], 2, 4),
  color("back to what still stands, 2 on 4", bg({ scaleDownDelaySeconds: 3600 }), [1, 2, 1], 2, 4),
  color("back to what stands no more, 2 on 4", bg({ scaleDownDelaySeconds: 1 }), [1, 2, 1], 2, 4),
  color("back from what is stuck, 2 on 3", bg(), [1, 2, 1], 2, 3, { isStuckBefore: true }),
];
const back = (name: string, strategy: Fields, all: WorkloadOptions[], nodes: number): GridCase => ({
  name: `canary: back ${name}`,
  nodes: plain(nodes),
  isStuckBefore: true,
  steps: all.map((each) => [rollout(strategy, { ...tight, ...each })]),
});
const backs: GridCase[] = [
  back("from a stuck weight", can({ steps: [w(20)] }), [{}, { version: 2 }, {}], 3),
  back(
    "from a broken weight",
    can({ steps: [w(34)] }),
    [{}, { version: 2, behaviour: "never-ready" }, {}],
    4,
  ),
  back(
    "from a stuck weight, and grown",
    can({ steps: [w(20)] }),
    [{ replicas: 2 }, { replicas: 2, version: 2 }, { replicas: 3 }],
    2,
  ),
  back(
    "to an older one, on as many",
    can({ maxSurge: 1, maxUnavailable: 0 }),
    [
      { version: 1, replicas: 2, apart: [apart(byArgoHash)] },
      { version: 2, replicas: 2, apart: [apart(byArgoHash)] },
      { version: 1, replicas: 2, apart: [apart(byArgoHash)] },
    ],
    2,
  ),
  back(
    "to an older one, on as many, without a key",
    can({ maxSurge: 1, maxUnavailable: 0 }),
    [
      { version: 1, replicas: 2 },
      { version: 2, replicas: 2, apart: [] },
      { version: 1, replicas: 2 },
    ],
    2,
  ),
];

export const versionClasses = { routes, blueGreenCase, backs };
