import {
  type Fields,
  type GridCase,
  plain,
  rollout,
  service,
} from "../../../support/rollout-pieces.ts";
import { services } from "../situations.ts";
import { bg, ingress } from "./pieces.ts";

const w = (setWeight: number): Fields => ({ setWeight });
const can = (...all: Fields[]): Fields => ({ canary: Object.assign({}, ...all) });
/** Rollouts that Argo Rollouts just rejects or just accepts. */
const invalid = (
  name: string,
  strategy: Fields,
  spec: Fields = {},
  before: Fields = can({ maxSurge: 1 }),
  others: readonly Fields[] = services,
): GridCase => ({
  name: `Rollout: ${name}`,
  nodes: plain(3),
  steps: [
    [rollout(before, {}), ...services, ingress()],
    [rollout(strategy, { version: 2, spec }), ...others, ingress()],
  ],
});
const invalids: GridCase[] = [
  invalid("neither more nor fewer", can({ maxSurge: 0, maxUnavailable: 0 })),
  invalid("neither more nor fewer by share", can({ maxSurge: "0%", maxUnavailable: 0 })),
  invalid("one fewer by share of nothing", can({ maxSurge: 0, maxUnavailable: "1%" })),
  invalid("a scale without traffic", can({ steps: [{ setCanaryScale: { replicas: 1 } }] })),
  invalid("a weight above all", can({ steps: [w(101)] })),
  invalid("a weight of all", can({ steps: [w(100)] })),
  invalid("the same service twice", bg({ previewService: "active" })),
  invalid("a dynamic scale without traffic", can({ dynamicStableScale: true })),
  invalid(
    "two kinds of step in one",
    can({ steps: [{ setWeight: 50, pause: { duration: "1s" } }] }),
  ),
  invalid("a step of nothing", can({ steps: [{}] })),
  invalid("a pause of no duration", can({ steps: [w(50), { pause: { duration: "1 minute" } }] })),
  invalid("a deadline as short as they take", can({ maxSurge: 2 }), {
    ...{ progressDeadlineSeconds: 5, minReadySeconds: 5 },
  }),
  invalid("a deadline longer than they take", can({ maxSurge: 2 }), {
    ...{ progressDeadlineSeconds: 60, minReadySeconds: 1 },
  }),
  invalid("traffic without services", can({ trafficRouting: { nginx: { stableIngress: "web" } } })),
  invalid("both kinds of its own anti-affinity", can({ antiAffinity: {} })),
  invalid("more kept than are remembered", bg({ scaleDownDelayRevisionLimit: 3 }), {
    revisionHistoryLimit: 2,
  }),
  invalid("services of other labels", bg(), {}, undefined, [
    service("active"),
    {
      ...service("preview"),
      spec: { selector: { app: "other" }, ports: [{ name: "http", port: 80 }] },
    },
  ]),
  invalid("a service that is not there", bg({ previewService: "nowhere" })),
];

export const invalidClasses = { invalids };
