import { expect, test } from "vitest";
import { parse } from "yaml";
import type { Change, Plan } from "../../../../src/model/plan/plan.ts";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { changedByAdmission } from "../../../../src/preflight/rules/changed-by-admission.ts";

/** Returns the findings about a change whose dry-run stored this object. */
function found(declared: string, stored: string, more: Partial<Change> = {}): readonly string[] {
  const objectOf = (content: string, kind: string) => ({
    ...{ apiVersion: "v1", kind, metadata: { name: "a" } },
    ...parse(content),
  });
  const id = { group: "", kind: "Thing", namespace: "shop", name: "a", ...more.id };
  const change = {
    ...{ key: "a", id, action: "create", certainty: { by: "server" } },
    desired: objectOf(declared, id.kind),
    predicted: objectOf(stored, id.kind),
    ...more,
  } as unknown as Change;
  const input = {
    plan: { changes: [change] } as unknown as Plan,
    facts: {} as ClusterFacts,
    releases: { declared: new Set<string>() },
    placeOf: () => undefined,
  };
  return changedByAdmission(input).map(({ what }) => what.replace(/^.* declared in /, ""));
}

test.each([
  [
    "a value",
    "spec: {colour: red}",
    "spec: {colour: green}",
    ["Thing shop/a: spec.colour is changed by the API server"],
  ],
  [
    "a value of an item, found by its name",
    "spec: {containers: [{name: a, image: 'a:1'}, {name: b, image: 'b:1'}]}",
    "spec: {containers: [{name: b, image: 'b:1'}, {name: a, image: 'mirror/a:1', tty: true}]}",
    ['Thing shop/a: spec.containers[name="a"].image is changed by the API server'],
  ],
  [
    "a label",
    "metadata: {name: a, labels: {team: shop}}",
    "metadata: {name: a, labels: {team: platform}, uid: x}",
    ["Thing shop/a: metadata.labels.team is changed by the API server"],
  ],
])("%s that is stored differently is reported", (_, declared, stored, fields) => {
  expect(found(declared, stored)).toEqual(fields);
});

test.each([
  ["added values", "spec: {}", "spec: {replicas: 1}"],
  [
    "left to the server",
    "spec: {clusterIP: '', nodePort: 0}",
    "spec: {clusterIP: 10.0.0.1, nodePort: 3}",
  ],
  ["a quantity", "spec: {cpu: 0.5, memory: 1024Mi}", "spec: {cpu: 500m, memory: 1Gi}"],
  ["a rounded quantity", "spec: {cpu: 0.33333}", "spec: {cpu: 334m}"],
  ["a number for a string", "data: {size: 1}", "data: {size: '1'}"],
  ["a time", "spec: {at: '2026-01-01T00:00:00+00:00'}", "spec: {at: '2026-01-01T00:00:00Z'}"],
])("a value that is %s isn't reported as changed by admission", (_, declared, stored) => {
  expect(found(declared, stored)).toEqual([]);
});

test("skipped dry-runs, unchanged objects and Secrets aren't reported", () => {
  const [red, green] = ["spec: {colour: red}", "spec: {colour: green}"];
  const secret = { group: "", kind: "Secret", namespace: "shop", name: "a" };
  expect(found(red, green, { action: "unchanged" })).toEqual([]);
  expect(found(red, green, { certainty: { by: "comparison" } })).toEqual([]);
  expect(found(red, green, { id: secret })).toEqual([]);
});
