import { expect, test } from "vitest";
import { liveManifest } from "../../src/init/live-manifest.ts";
import { manifestAdapter } from "../../src/init/manifest-adapter.ts";
import { readManifests } from "../../src/init/read-manifests.ts";
import type { KubeObject } from "../../src/model/object.ts";

const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

test.each([
  {
    name: "YAML 1.1, as kubectl",
    text: `${head}data: {a: 0644, b: on, c: no, d: y, e: 0o644}`,
    data: { a: 420, b: true, c: false, d: true, e: 420 },
  },
  {
    name: "neither dates nor times",
    text: `${head}data: {a: 2026-11-22, b: 22:22}`,
    data: { a: "2026-11-22", b: "22:22" },
  },
  {
    name: "comments and anchors",
    text: `# x\n${head}data: {a: &x yy, b: *x} # z`,
    data: { a: "yy", b: "yy" },
  },
])("a manifest is read with $name", ({ text, data }) => {
  const read = readManifests("a.yaml", text);
  expect(read.ok && read.value.map(({ object }) => object.data)).toEqual([data]);
});

test("documents, empty ones, and Lists within Lists are one row of objects", () => {
  const item = (name: string) => ({ apiVersion: "v1", kind: "Service", metadata: { name } });
  const list = {
    apiVersion: "v1",
    kind: "List",
    items: [item("b"), { kind: "ServiceList", apiVersion: "v1", items: [item("c")] }],
  };
  const text = `---\n# only a comment\n---\n${JSON.stringify(item("a"))}\n---\n${JSON.stringify(list)}\n---\n`;
  const read = readManifests("a.yaml", text);
  expect(
    read.ok && read.value.map(({ object, where }) => `${object.metadata.name} ${where.line}`),
  ).toEqual(["a 4", "b 6", "c 6"]);
});

test.each([
  ["a: [", "a.yaml:1:5 This is not valid YAML"],
  [
    `${head}---\nkind: Kustomization`,
    "a.yaml:5:1 This is no Kubernetes object: it lacks apiVersion, kind or metadata",
  ],
  [
    `${head}data: {a: 9007199254740993}`,
    "a.yaml:1:1 This object has a whole number beyond 2^53, whose digits would change",
  ],
  ["- 1", "a.yaml:1:1 This is no Kubernetes object: it lacks apiVersion, kind or metadata"],
  ["apiVersion: v1\nkind: Service\nmetadata: {}", "a.yaml:1:1 The Service has no metadata.name"],
])("%j is refused", (text, expected) => {
  const read = readManifests("a.yaml", text);
  const problems = read.ok ? [] : read.problems;
  expect(
    problems.map(({ where: [at], what }) => `${at?.file}:${at?.line}:${at?.column} ${what}`),
  ).toEqual([expected]);
});

const workload = (name: string, kind: string, images: Record<string, string>): KubeObject => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "shop" },
  spec: {
    replicas: 2,
    template: {
      spec: { containers: Object.entries(images).map(([name, image]) => ({ name, image })) },
    },
  },
});

test.each([
  {
    name: "one",
    objects: [workload("web", "Deployment", { web: "web:1" })],
    expected: "namespace image replicas",
  },
  {
    name: "one with a sidecar",
    objects: [workload("web", "Deployment", { web: "web:1", log: "log:1" })],
    expected: "namespace image logImage replicas",
  },
  {
    name: "two",
    objects: [
      workload("web", "Deployment", { a: "web:1" }),
      workload("back-end", "StatefulSet", { b: "b:1" }),
    ],
    expected: "namespace webImage webReplicas backEndImage backEndReplicas",
  },
  {
    name: "two of one name",
    objects: [
      workload("web", "Deployment", { a: "web:1" }),
      workload("web", "StatefulSet", { b: "b:1" }),
    ],
    expected:
      "namespace webDeployment0Image webDeployment0Replicas webStatefulSet1Image webStatefulSet1Replicas",
  },
])("the parameters of $name", ({ objects, expected }) => {
  const { cue } = manifestAdapter("shop", objects);
  const [, block = ""] = /parameters: \{\n(.*?)\n\t\}/s.exec(cue) ?? [];
  expect([...block.matchAll(/^\t\t(\w+):/gm)].map(([, name]) => name).join(" ")).toBe(expected);
});

test("what the server has filled in is left out, but for what was applied", () => {
  const applied = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { type: "ClusterIP", ports: [{ port: 80 }] },
  };
  const live: KubeObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "web",
      namespace: "shop",
      uid: "1",
      resourceVersion: "2",
      generation: 3,
      creationTimestamp: "2026-11-22T00:00:00Z",
      managedFields: [],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(applied) },
    },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.0.0.1",
      clusterIPs: ["10.0.0.1"],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
      sessionAffinity: "None",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80, nodePort: 30080 }],
    },
    status: { loadBalancer: {} },
  };
  expect(liveManifest(live)).toEqual({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop" },
    spec: { type: "ClusterIP", ports: [{ port: 80, targetPort: 80 }] },
  });
});
