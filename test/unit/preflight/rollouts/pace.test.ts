import { expect, test } from "vitest";
import { describePace } from "../../../../src/preflight/rollouts/workload-finding.ts";

const pace = (rollingUpdate: object) =>
  describePace({
    kind: "StatefulSet",
    replicas: 5,
    spec: { updateStrategy: { rollingUpdate } },
  } as unknown as Parameters<typeof describePace>[0]);

test.each([
  [{}, "replaced one by one"],
  [{ maxUnavailable: 1 }, "replaced one by one"],
  [{ maxUnavailable: "10%" }, "replaced one by one"],
  [{ maxUnavailable: 2 }, "replaced at most 2 at a time (maxUnavailable)"],
  [{ maxUnavailable: "60%" }, "replaced at most 3 at a time (maxUnavailable)"],
])("a StatefulSet with %j is %s", (rollingUpdate, text) => {
  expect(pace(rollingUpdate)).toBe(`It has 5 replicas, ${text}`);
});
