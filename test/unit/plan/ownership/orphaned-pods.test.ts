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

const pod = (name: string, more = "", app = "db", original = name) =>
  parse(
    `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop, labels: {app: ${app}, more: x, statefulset.kubernetes.io/pod-name: ${original}}, ${more}}}`,
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
  ["a Pod is a copy", [pod("db-0"), pod("db-100", "", "db", "db-0")], "", 1],
  ["an ordinal isn't one", [pod("db-01"), pod("db-9999999999")], "", undefined],
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

test.each(["spec.replicas", ".spec.replicas", 'spec["replicas"]', "spec"])(
  "a number that ignore-changes names as %s is kept",
  (path) => {
    const declared = declare(`
app/db:
  apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db, annotations: {vs.axis-dev.io/ignore-changes: '${path}'}}
  spec: {replicas: 2}
`);
    expect(replicasAfter(declared as unknown as readonly PreparedObject[], 3)).toBe(3);
  },
);

test.each(["replicas: 2", ""])(
  "fewer replicas (%s) than Pods are a problem, if qvs knows of no autoscaler",
  (spec) => {
    const declared = declare(`
app/db:
  apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: db}
  spec: {${spec}}
`);
    const kept = keepAll(declared as unknown as readonly PreparedObject[], 3);
    expect(kept).toMatchObject({ ok: false, problems: [{ code: "fewer-replicas" }] });
  },
);

function replicasAfter(objects: readonly PreparedObject[], count: number): unknown {
  const kept = keepAll(objects, count);
  const [db] = kept.ok ? kept.value.objects : [];
  return (db?.object.spec as { readonly replicas?: number } | undefined)?.replicas;
}

function keepAll(objects: readonly PreparedObject[], count: number) {
  const [db] = objects;
  return keepOrphanedReplicas(
    { deployment: "shop", namespace: "shop" },
    { objects, notices: [] },
    new Map(),
    new Map([[db?.key ?? "", count]]),
  );
}
