import { expect, test } from "vitest";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { Change, Plan } from "../../../../src/model/plan/plan.ts";
import { diffChange } from "../../../../src/report/diff/live-diff.ts";
import { diffTextLines } from "../../../../src/report/diff/text-diff.ts";
import { renderPlanText } from "../../../../src/report/plans/plan-text.ts";
import { reportOf } from "../../../support/report/report-of.ts";

const cases: readonly { name: string; live: object; declared: object; expected: string[] }[] = [
  {
    name: "only declared fields are compared",
    live: { replicas: 1, selector: { app: "web" }, revisionHistoryLimit: 10 },
    declared: { replicas: 2, selector: { app: "web" } },
    expected: ["-replicas: 1", "+replicas: 2"],
  },
  {
    name: "an object without declared fields isn't shown as empty",
    live: { replicas: 1, selector: { app: "web" } },
    declared: { replicas: 1, selector: { name: "web" } },
    expected: ["+selector:", "+  name: web"],
  },
  {
    name: "an empty object is shown as it is",
    live: { replicas: 1, selector: {} },
    declared: { replicas: 1, selector: { name: "web" } },
    expected: ["-selector: {}", "+selector:", "+  name: web"],
  },
];

/** The server hasn't returned a result. */
test.each(cases)("the diff of a rejected change: $name", ({ live, declared, expected }) => {
  const lines = diffTextLines(diffChange(changeOf(objectOf(live), objectOf(declared)), undefined));
  expect(lines.filter((line) => /^[-+]/.test(line))).toEqual(expected);
});

function objectOf(spec: object): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: { ...spec },
  };
}

function changeOf(live: KubeObject, desired: KubeObject): Change {
  return {
    key: "apps:Deployment::web",
    id: { group: "apps", kind: "Deployment", namespace: "", name: "web" },
    stage: "app",
    resource: "web",
    action: "update",
    steps: [{ type: "apply" }],
    desired,
    live,
    predicted: undefined,
    certainty: { by: "refused", reason: "field is immutable" },
    after: [],
  };
}

test("an object of another owner isn't shown as entirely new", () => {
  const declared =
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, paused: true}\n";
  const existing = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
  const report = reportOf({ head: declared, recorded: "", live: existing });
  const changes = (report.plan as Plan).changes.map(
    (change): Change => ({
      ...change,
      certainty: { by: "refused", reason: "it belongs to another deployment" },
      predicted: undefined,
    }),
  );
  const plan = { ...(report.plan as Plan), changes };
  expect(renderPlanText(plan, {}, [], report)).toContain(`\
shop-staging: 0 to create, 1 to update, 0 to delete, 0 unchanged

~ update Deployment shop/web (rejected, see below)  adapters/web:deployment (line 14)
    conflict: this deployment doesn't own it, so its diff isn't shown
`);
});
