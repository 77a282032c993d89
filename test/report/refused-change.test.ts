import { expect, test } from "vitest";
import type { KubeObject } from "../../src/model/object.ts";
import type { Change } from "../../src/model/plan.ts";
import { diffChange } from "../../src/report/diff/live-diff.ts";
import { linesOf } from "../../src/report/diff/text-diff.ts";

const cases: readonly { name: string; live: object; declared: object; expected: string[] }[] = [
  {
    name: "only declared fields are compared",
    live: { replicas: 1, selector: { app: "web" }, revisionHistoryLimit: 10 },
    declared: { replicas: 2, selector: { app: "web" } },
    expected: ["-  replicas: 1", "+  replicas: 2"],
  },
  {
    name: "a map that shares no field with what is declared is not shown as if it had been empty",
    live: { replicas: 1, selector: { app: "web" } },
    declared: { replicas: 1, selector: { name: "web" } },
    expected: ["+  selector:", "+    name: web"],
  },
  {
    name: "a map that is empty is shown as it is",
    live: { replicas: 1, selector: {} },
    declared: { replicas: 1, selector: { name: "web" } },
    expected: ["-  selector: {}", "+  selector:", "+    name: web"],
  },
];

/** The server has told no result. */
test.each(cases)("of a change that is refused, $name", ({ live, declared, expected }) => {
  const lines = linesOf(diffChange(changeOf(objectOf(live), objectOf(declared)), undefined));
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
