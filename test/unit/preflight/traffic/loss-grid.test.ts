import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { KubeObject } from "../../../../src/model/object.ts";
import { requestsLost } from "../../../../src/preflight/rules/requests-lost.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { type LossCase, lossGrid, objectsOf } from "../../../system/node/loss-grid.ts";
import { inputOf } from "../rules/served-workload.ts";

const status = {
  ...{ desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1 },
  ...{ replicas: 1, readyReplicas: 1 },
};

/** Returns the objects in the form of `requirePlan`. */
function declared(loss: LossCase, revision: string): string {
  const objects = Object.entries(objectsOf(loss, revision));
  return stringify(Object.fromEntries(objects.map(([name, object]) => [`app/${name}`, object])));
}

test("the grid has 24 cases", () => {
  expect(new Set(lossGrid.map(({ name }) => name)).size).toBe(24);
});

// test/system/node/loss-grid.node.test.ts compares the same predictions with a real node.
test.each(lossGrid)("$kind: $name", (loss) => {
  const plan = requirePlan({ before: declared(loss, "1"), declared: declared(loss, "2") });
  const withStatus = (live: KubeObject | undefined) => live && { ...live, status };
  const changes = plan.changes.map((change) =>
    change.id.kind === loss.kind ? { ...change, live: withStatus(change.live) } : change,
  );
  const [finding] = requestsLost(inputOf({ ...plan, changes }));
  expect(finding?.severity).toBe(loss.severity);
});
