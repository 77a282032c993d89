import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../../src/model/object.ts";
import type { PreparedObject } from "../../../../src/plan/declared/objects.ts";
import {
  keepOrphanedReplicas,
  orphanedReplicas,
} from "../../../../src/plan/ownership/orphaned-pods.ts";
import { declare } from "../../../support/plan/declare.ts";

const set = (spec: string) =>
  parse(
    `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: shop}, spec: {selector: {matchLabels: {app: db}}, ${spec}}}`,
  ) as KubeObject;

const pod = (name: string, more = "", app = "db") =>
  parse(
    `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop, labels: {app: ${app}, more: x}, ${more}}}`,
  ) as KubeObject;

const owned = "ownerReferences: [{kind: StatefulSet, name: db, uid: u, controller: true}]";

test.each<readonly [string, readonly KubeObject[], string, number | undefined]>([
  ["no Pod runs", [], "", undefined],
  ["the highest ordinal counts", [pod("db-0"), pod("db-2")], "", 3],
  ["more than nine Pods run", [pod("db-9"), pod("db-10")], "", 11],
  ["the ordinals start later", [pod("db-5"), pod("db-6")], "ordinals: {start: 5}", 2],
  ["the Pods have a controller", [pod("db-0", owned), pod("db-1", owned)], "", undefined],
  ["the Pods have other names", [pod("web-0"), pod("db-a"), pod("db-0-1")], "", undefined],
  ["the Pods have other labels", [pod("db-1", "", "web")], "", undefined],
])("the number of Pods that a StatefulSet left, if %s", (_, pods, spec, expected) => {
  expect(orphanedReplicas(set(spec), pods)).toBe(expected);
});

const hpa = `
app/hpa:
  apiVersion: autoscaling/v2
  kind: HorizontalPodAutoscaler
  metadata: {name: db}
  spec: {scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: db}, maxReplicas: 5}
`;

test.each<readonly [string, string, string, number, number | undefined]>([
  ["an autoscaler's number is kept", "", hpa, 3, 3],
  ["an autoscaler's number is kept over a declared one", "replicas: 2", hpa, 3, 3],
  ["a higher declared number is kept", "replicas: 4", hpa, 3, 4],
  ["without an autoscaler, the manifest decides", "replicas: 2", "", 3, 2],
])("%s", (_, spec, others, count, expected) => {
  const declared = declare(`
app/db:
  apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db}
  spec: {${spec}}
${others}`);
  expect(replicasAfter(declared as unknown as readonly PreparedObject[], count)).toBe(expected);
});

test("a number that ignore-changes names is kept", () => {
  const declared = declare(`
app/db:
  apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db, annotations: {vs.axis-dev.io/ignore-changes: spec.replicas}}
  spec: {replicas: 2}
`);
  expect(replicasAfter(declared as unknown as readonly PreparedObject[], 3)).toBe(3);
});

function replicasAfter(objects: readonly PreparedObject[], count: number): unknown {
  const [db] = objects;
  const { objects: kept } = keepOrphanedReplicas(
    { deployment: "shop", namespace: "shop" },
    { objects, notices: [] },
    new Map(),
    new Map([[db?.key ?? "", count]]),
  );
  return (kept[0]?.object.spec as { readonly replicas?: number } | undefined)?.replicas;
}
