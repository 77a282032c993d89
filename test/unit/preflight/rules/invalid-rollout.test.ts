import { expect, it, test } from "vitest";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { Change, Plan } from "../../../../src/model/plan/plan.ts";
import { invalidRollout } from "../../../../src/preflight/rules/invalid-rollout.ts";
import { rolloutOutcomes } from "../../../../src/preflight/rules/rollout-outcomes.ts";
import { apart, type Fields, rollout, service } from "../../../support/rollout-pieces.ts";
import { around, changeOf } from "../rollout-plan.ts";

/**
 * Returns findings about Rollouts that their controller finds invalid.
 * `test/sweeps/grid/cases/invalid.ts` compares them with the real controller.
 */
function findings(changes: readonly Change[], rule = invalidRollout): readonly string[] {
  const plan = { deployment: "shop", namespace: "shop", changes, deletions: [], kept: [] };
  return rule({
    plan: { ...plan, notices: [], digest: "" } satisfies Plan,
    facts: around(),
    releases: { declared: new Set() },
    placeOf: () => undefined,
  }).map(({ why, path = [] }) => `${path.join(".")}: ${why}`);
}

const canary = (fields: Fields, spec: Fields = {}) => [
  changeOf(rollout({ canary: fields }, { spec })),
];
const blueGreen = (fields: Fields, spec: Fields = {}) => [
  changeOf(
    rollout({ blueGreen: { activeService: "a", previewService: "b", ...fields } }, { spec }),
  ),
];
const steps = (...all: readonly JsonObject[]) => canary({ steps: all });
const router = { nginx: { stableIngress: "web" } };
const routed = (fields: Fields) =>
  canary({ stableService: "a", canaryService: "b", trafficRouting: router, ...fields });
const inCanary = "spec.strategy.canary";
const blueGreenPath = "spec.strategy.blueGreen";

test.each<[string, readonly Change[], string]>([
  [
    "both 0",
    canary({ maxSurge: 0, maxUnavailable: "0%" }),
    `${inCanary}.maxSurge: maxSurge and maxUnavailable are both 0`,
  ],
  ["one of them 0", canary({ maxSurge: 0 }), ""],
  ["both fields without a manager", canary({}), ""],
  ["a percentage that is rounded to 0", canary({ maxSurge: 0, maxUnavailable: "1%" }), ""],
  [
    "a scale without traffic",
    steps({ setCanaryScale: { replicas: 1 } }),
    `${inCanary}.steps.0.setCanaryScale: setCanaryScale requires trafficRouting`,
  ],
  ["a scale with traffic", routed({ steps: [{ setCanaryScale: { replicas: 1 } }] }), ""],
  [
    "a weight above the maximum",
    steps({ setWeight: 100 }, { setWeight: 101 }),
    `${inCanary}.steps.1.setWeight: setWeight is 101, but weights are from 0 to 100`,
  ],
  [
    "a weight of a router with a larger maximum",
    routed({ trafficRouting: { ...router, maxTrafficWeight: 1000 }, steps: [{ setWeight: 101 }] }),
    "",
  ],
  [
    "two kinds of steps in one",
    steps({ setWeight: 5, pause: {} }),
    `${inCanary}.steps.0: One of its steps combines setWeight and pause`,
  ],
  ["an empty step", steps({}), `${inCanary}.steps.0: One of its steps does nothing`],
  ["a step of an unknown kind", steps({ plugin: { name: "x" } }), ""],
  [
    "no duration",
    steps({ pause: { duration: "1 minute" } }),
    `${inCanary}.steps.0.pause.duration: "1 minute" isn't a duration`,
  ],
  [
    "durations",
    steps(
      { pause: { duration: "1h30m" } },
      { pause: { duration: 5 } },
      { pause: { duration: "5" } },
      { pause: {} },
    ),
    "",
  ],
  [
    "traffic without Services",
    canary({ trafficRouting: router, stableService: "a" }),
    `${inCanary}.canaryService: Its trafficRouting requires canaryService`,
  ],
  [
    "traffic by subsets",
    canary({ trafficRouting: { istio: { destinationRule: { name: "x" } } } }),
    "",
  ],
  [
    "one Service for both",
    canary({ stableService: "a", canaryService: "a" }),
    `${inCanary}.stableService: stableService and canaryService name the same Service`,
  ],
  [
    "fields for traffic routing",
    canary({ scaleDownDelaySeconds: 5 }),
    `${inCanary}.scaleDownDelaySeconds: scaleDownDelaySeconds requires trafficRouting`,
  ],
  [
    "a delay with a dynamic scale",
    routed({ scaleDownDelaySeconds: 5, dynamicStableScale: true }),
    `${inCanary}.dynamicStableScale: dynamicStableScale and scaleDownDelaySeconds exclude each other`,
  ],
  [
    "no kind of anti-affinity",
    canary({ antiAffinity: {} }),
    `${inCanary}.antiAffinity: Its antiAffinity must have either a required or a preferred term`,
  ],
  [
    "one Service for both colors",
    blueGreen({ previewService: "a" }),
    `${blueGreenPath}.activeService: activeService and previewService name the same Service`,
  ],
  [
    "more kept revisions than the history has",
    blueGreen({ scaleDownDelayRevisionLimit: 3 }, { revisionHistoryLimit: 2 }),
    `${blueGreenPath}.scaleDownDelayRevisionLimit: scaleDownDelayRevisionLimit is 3, which is more than revisionHistoryLimit, 2`,
  ],
  ["no strategy", [changeOf(rollout({}))], "spec.strategy: It has no strategy"],
  [
    "two strategies",
    [changeOf(rollout({ canary: {}, blueGreen: { activeService: "a" } }))],
    "spec.strategy: It has two strategies",
  ],
  [
    "a deadline that is too early",
    canary({}, { minReadySeconds: 600 }),
    "spec.minReadySeconds: progressDeadlineSeconds is 600, which isn't more than minReadySeconds, 600",
  ],
  [
    "a selector of other labels",
    canary({}, { selector: { matchLabels: { app: "web", tier: "x" } } }),
    "spec.selector.matchLabels.tier: Its selector requires the label tier, which its Pods don't have with this value",
  ],
  [
    "the template of another object",
    canary(
      {},
      { workloadRef: { kind: "Deployment", name: "x" }, selector: undefined, template: undefined },
    ),
    "",
  ],
  [
    "Services that select its labels",
    [...blueGreen({}), changeOf(service("a")), changeOf(service("b"))],
    "",
  ],
  [
    "a Service that selects other labels",
    [
      ...blueGreen({}),
      changeOf({ ...service("b"), spec: { selector: { app: "web", tier: "x" } } }),
    ],
    `${blueGreenPath}.previewService: Service b selects the label tier: x, which the Pods don't have`,
  ],
])("%s", (_, changes, expected) => {
  expect(findings(changes).join("\n")).toBe(expected);
});

it("an invalid rollout has no other finding", () => {
  const tight = { apart: [apart()], replicas: 5 };
  expect(findings([changeOf(rollout({ canary: {} }, tight))], rolloutOutcomes)).toHaveLength(1);
  expect(findings([changeOf(rollout({}, tight))], rolloutOutcomes)).toEqual([]);
});

it("an unchanged rollout has no finding", () => {
  const [change] = canary({ maxSurge: 0, maxUnavailable: 0 });
  expect(findings(change === undefined ? [] : [{ ...change, action: "unchanged" }])).toEqual([]);
});
