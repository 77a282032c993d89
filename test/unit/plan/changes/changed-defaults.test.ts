import { expect, test } from "vitest";
import { combineUpstreamPlans } from "../../../../src/model/deployments/other-deployments.ts";
import { planOf, planText, type Situation } from "../../../support/plan/plan-text.ts";

const pod = "app/pod: {apiVersion: v1, kind: Pod, metadata: {name: run}, spec: {containers: []}}\n";
const ingress =
  "app/in: {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: in}, spec: {}}\n";
const limits = (cpu: string) =>
  `app/limits: {apiVersion: v1, kind: LimitRange, metadata: {name: sizes}, spec: {limits: [{type: Container, default: {cpu: ${cpu}}}]}}\n`;
const ingressClass = (isDefault: boolean) =>
  `app/class: {apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: web, annotations: {ingressclass.kubernetes.io/is-default-class: "${isDefault}"}}, spec: {}}\n`;
const priority = (more: string) =>
  `app/prio: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, ${more}}\n`;

/**
 * Returns the predicted objects of a deployment after an upstream deployment changes from `before`
 * to `declared`.
 */
function after(platform: Pick<Situation, "before" | "declared">, declared: string): string {
  const stays = "app/other: {apiVersion: v1, kind: ConfigMap, metadata: {name: other}}\n";
  const plan = planOf({
    before: `${stays}${platform.before ?? ""}`,
    declared: stays + platform.declared,
  });
  if (!plan.ok) throw new Error("the platform can't be planned");
  const earlier = combineUpstreamPlans([{ deployment: "platform", plan: plan.value }]);
  return planText(planOf({ declared, earlier, purpose: "preview" }));
}

const upstreamReason = "by the deployment platform, which runs first";

test.each([
  [
    "a new LimitRange",
    { declared: limits("1") },
    pod,
    `create Pod shop/run (app, unchecked: LimitRange shop/sizes, which sets its defaults, is created ${upstreamReason})`,
  ],
  [
    "a LimitRange that changes",
    { before: limits("1"), declared: limits("2") },
    pod,
    `create Pod shop/run (app, unchecked: LimitRange shop/sizes, which sets its defaults, is changed ${upstreamReason})`,
  ],
  [
    "an unchanged LimitRange",
    { before: limits("1"), declared: limits("1") },
    pod,
    "create Pod shop/run (app, server)",
  ],
  [
    "a deleted default class",
    { before: ingressClass(true), declared: "" },
    ingress,
    `create Ingress shop/in (app, unchecked: IngressClass web, which sets its defaults, is deleted ${upstreamReason})`,
  ],
  [
    "a class that becomes the default",
    { before: ingressClass(false), declared: ingressClass(true) },
    ingress,
    `create Ingress shop/in (app, unchecked: IngressClass web, which sets its defaults, is changed ${upstreamReason})`,
  ],
  [
    "a deleted class that isn't the default",
    { before: ingressClass(false), declared: "" },
    ingress,
    "create Ingress shop/in (app, server)",
  ],
])(
  "the effect of an earlier deployment on defaults isn't predicted: %s",
  (_, platform, own, text) => {
    expect(after(platform, own)).toBe(text);
  },
);

test.each([
  [
    "is no longer the default",
    "value: 5, globalDefault: true",
    "value: 5, globalDefault: false",
    "unchecked: PriorityClass usual, which sets its defaults, is changed by this deployment",
  ],
  ["never was the default", "value: 5", "value: 6", "server"],
])("a Pod without a class depends on a PriorityClass that %s", (_, before, now, certainty) => {
  const situation = { before: priority(before), declared: priority(now) + pod };
  expect(planText(planOf(situation))).toContain(`create Pod shop/run (app, ${certainty})`);
});
