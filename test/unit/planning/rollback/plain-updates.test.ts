import { expect, test } from "vitest";
import type { Release } from "../../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../../src/model/deployments/release-history.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Plan } from "../../../../src/model/plan/plan.ts";
import type { ExecutablePlan } from "../../../../src/planning/planned-deployment.ts";
import { undoPlainUpdates } from "../../../../src/planning/rollback/plain-updates.ts";
import {
  changeBetween,
  deletionOf,
  keptBecause,
  objectFrom,
  ownedBy,
  planWith,
} from "../../../support/plan/change-between.ts";
import { release } from "../../../support/plan/release-from.ts";

const config = (value: string, more = "") =>
  objectFrom(
    `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a}, data: {value: "${value}"}${more}}`,
  );
const noted = (value: string) =>
  objectFrom(
    `{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a, annotations: {vs.axis-dev.io/wait: "false"}}, data: {value: "${value}"}}`,
  );
const web = objectFrom(
  "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: web}}",
);

interface Situation {
  readonly target?: readonly KubeObject[];
  readonly plan?: Partial<Plan>;
  readonly newer?: readonly Release[];
  readonly more?: Partial<ExecutablePlan>;
}

const update = changeBetween(config("1"), config("2"));

function undo({ target = [config("1")], plan = {}, newer = [], more = {} }: Situation) {
  const current: Release = {
    ...release(3, "succeeded"),
    expandedConfig: target.map((object) => ({
      ...{ stage: "app", resource: "a", object, dependsOn: [] },
    })),
  };
  const history = createReleaseHistory([...newer, current]);
  const recorded = { ...history, secrets: [], unreadable: [], next: 9 };
  const planned = {
    plan: planWith({ changes: [update], ...plan }),
    recorded,
    findings: [],
    ...more,
  };
  return undoPlainUpdates(planned as never, current);
}

test("new values of ConfigMaps return to their present ones", () => {
  expect(undo({})).toEqual({
    ...{ to: 3, possible: true, objects: 1, lost: [], reasons: [], notes: [], needs: [] },
  });
  const unchanged = changeBetween(web, web, { action: "unchanged", steps: [] });
  const both = undo({ target: [config("1"), web], plan: { changes: [update, unchanged] } });
  expect(both?.objects).toBe(1);
});

const immutable = config("2", ", immutable: true");
const patched = ownedBy(config("5"), "kubectl", '{"f:data":{"f:value":{}}}');

test.for<readonly [string, Situation]>([
  ["a live object that differs from the current release", { target: [config("0")] }],
  ["an object that the current release lacks", { target: [] }],
  ["an object that only the current release has", { target: [config("1"), web] }],
  ["a creation", { plan: { changes: [changeBetween(undefined, config("2"))] } }],
  ["a deletion", { plan: { deletions: [deletionOf(web)] } }],
  ["a kept object", { plan: { kept: [keptBecause(web, "keepOnDelete")] } }],
  ["another kind", { target: [web], plan: { changes: [changeBetween(web, web)] } }],
  ["an object elsewhere", { plan: { namespace: "other" } }],
  [
    "a forced field",
    { plan: { changes: [{ ...update, steps: [{ type: "force", conflicts: [] }] }] } },
  ],
  ["an immutable ConfigMap", { plan: { changes: [changeBetween(config("1"), immutable)] } }],
  [
    "a value of another manager",
    {
      target: [
        objectFrom("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a}}"),
      ],
      plan: { changes: [changeBetween(patched, config("2"))] },
    },
  ],
  ["an annotation of qvs", { plan: { changes: [changeBetween(config("1"), noted("2"))] } }],
  ["a newer release that failed", { newer: [release(4, "failed")] }],
  ["an error of the deployment", { more: { findings: [{ severity: "error" }] as never } }],
  ["one stage", { plan: { onlyStage: "app" } }],
  ["a check", { plan: { checks: [{ name: "smoke" }] as never } }],
])("qvs plans the rollback of %s", ([, situation]) => {
  expect(undo(situation)).toBe(undefined);
});
