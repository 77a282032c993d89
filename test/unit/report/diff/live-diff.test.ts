import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/model/json.ts";
import { type KubeObject, withMetadata } from "../../../../src/model/object.ts";
import type { Change } from "../../../../src/model/plan/plan.ts";
import { isRelabeled } from "../../../../src/report/diff/live-diff.ts";
import { renderPlanText } from "../../../../src/report/plans/plan-text.ts";
import { buildChanges } from "../../../../src/report/rows/build-changes.ts";
import { summarizeActions } from "../../../../src/report/text/counts.ts";
import { stepsOf } from "../../../support/plan/steps.ts";
import {
  configMap,
  live,
  planned,
  shopPlan,
  shopReport,
} from "../../../support/shop/shop-report.ts";

const own = { "vs.axis-dev.io/deployment": "shop", "vs.axis-dev.io/stage": "app" };
const label = { "vs.axis-dev.io/release-namespace": "shop" };

const labelled = (object: KubeObject, labels: JsonObject) => withMetadata(object, { labels });

/** Returns the update of an object that an earlier version wrote. */
function update(name: string, after: (object: KubeObject) => KubeObject): Change {
  const object = withMetadata(configMap("0", "debug"), { name });
  const before = live(labelled(object, own));
  const desired = after(labelled(object, { ...own, ...label }));
  const change = planned("app", name, desired, before);
  return { ...change, action: "update", steps: stepsOf("update"), predicted: live(desired) };
}

const same = (object: KubeObject) => object;
const oneLabel = update("a", same);

test("objects that only get the new label are one line of a plan and one row of a comment", () => {
  const plan = shopPlan({ changes: [oneLabel, update("b", same)], deletions: [] });
  expect(renderPlanText(plan)).toBe(
    `shop-staging: 0 to create, 2 to update, 0 to delete, 0 unchanged

~ update 2 objects: only the label vs.axis-dev.io/release-namespace is added, which earlier versions of qvs didn't write
`,
  );
  const { rows } = buildChanges({ ...shopReport(), plan });
  expect(rows.map(({ action, name, note }) => [action, name, note])).toEqual([
    [
      "update",
      "2 objects",
      "only the label vs.axis-dev.io/release-namespace is added, which earlier versions of qvs didn't write",
    ],
  ]);
  expect(summarizeActions(rows)).toBe("2 to update");
});

const transfer = {
  type: "transfer-ownership",
  managers: ["helm"],
  fields: {},
  removes: [],
} as const;
const conflicts = [{ field: ".data", manager: "helm", subresource: "" }];

test.for<readonly [string, Change]>([
  ["another value", update("a", (object) => ({ ...object, data: { a: "1" } }))],
  [
    "another label as well",
    update("a", (object) => labelled(object, { ...own, ...label, team: "shop" })),
  ],
  [
    "another annotation",
    update("a", (object) => withMetadata(object, { annotations: { a: "1" } })),
  ],
  ["the label that names another namespace", { ...oneLabel, live: oneLabel.predicted }],
  ["adopted fields", { ...oneLabel, steps: [transfer, { type: "apply" }] }],
  ["fields taken by force", { ...oneLabel, steps: [{ type: "force", conflicts }] }],
  ["a missing dry-run answer", { ...oneLabel, predicted: undefined }],
  ["another object in its place", { ...oneLabel, action: "replace", steps: stepsOf("replace") }],
])("an update with %s is shown", ([, change]) => {
  expect(isRelabeled(change)).toBe(false);
});
