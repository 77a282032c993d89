import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readInitSources } from "../../../src/cli/init/sources.ts";
import { readFiles } from "../../../src/commands/init.ts";
import { liveManifest } from "../../../src/init/live-manifest.ts";
import { manifestAdapter } from "../../../src/init/manifest-adapter.ts";
import { readManifests } from "../../../src/init/read-manifests.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";

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

test("documents, empty ones and nested Lists are one sequence of objects", () => {
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
  ["a: [", "a.yaml:1:5 This document isn't valid YAML"],
  [`${head}---\nkind: Other`, "a.yaml:5:1 This document isn't a Kubernetes object"],
  [
    `${head}data: {a: b}\ndata: {c: d, c: e}`,
    'a.yaml:5:1 "data" occurs twice in one object',
    'a.yaml:5:14 "c" occurs twice in one object',
  ],
  [`${head}data: {a: 9007199254740993}`, "a.yaml:1:1 This object contains an integer beyond 2^53"],
  ...["0o777777777777777777777", "1e21", "-9007199254740993"].map((number) => [
    `${head}data: {a: ${number}}`,
    "a.yaml:1:1 This object contains an integer beyond 2^53",
  ]),
  ...[".inf", "-.inf", ".nan", "1e999", "!!binary aGk=", "!!set {a, b}", "!!omap [a: 1]"].map(
    (value) => [
      `${head}data: {a: ${value}}`,
      "a.yaml:1:1 This object contains a value that JSON doesn't have",
    ],
  ),
  [
    `${head}data: {a: ${"[".repeat(300)}${"]".repeat(300)}}`,
    "a.yaml:1:1 This object has more than 250 levels of nested objects and lists",
  ],
  [
    `${head}data: &a {a: *a}`,
    "a.yaml:1:1 This object has more than 250 levels of nested objects and lists",
  ],
  [
    `${head}a: &a [${"1, ".repeat(9)}]\nb: &b [${"*a, ".repeat(9)}]\nc: &c [${"*b, ".repeat(9)}]\nd: [${"*c, ".repeat(9)}]`,
    "a.yaml:1:1 This object repeats too much through YAML aliases",
  ],
  [
    `${head.replace("name: a", 'name: a, namespace: "a\\n- b"')}`,
    'a.yaml:1:1 The ConfigMap has the namespace "a\n- b", which isn\'t a DNS label',
  ],
  ["- 1", "a.yaml:1:1 This document isn't a Kubernetes object"],
  ["apiVersion: v1\nkind: Service\nmetadata: {}", "a.yaml:1:1 The Service has no metadata.name"],
])("%j is rejected", (text, ...expected) => {
  const read = readManifests("a.yaml", text);
  const problems = read.ok ? [] : read.problems;
  expect(
    problems.map(({ where: [at], what }) => `${at?.file}:${at?.line}:${at?.column} ${what}`),
  ).toEqual(expected);
});

test.each([
  ["k8s/kustomization.yaml", "resources: [web.yaml]", "kubectl kustomize k8s | qvs init --from -"],
  ["kustomization.yml", "resources: []", "kubectl kustomize . | qvs init --from -"],
  [
    "a/x.yaml",
    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Component",
    "kubectl kustomize a | qvs init --from -",
  ],
  ["chart/values.yaml", "replicas: 1", "helm template chart | qvs init --from -"],
  ["$(rm)/kustomization.yaml", "a: b", "kubectl kustomize FOLDER | qvs init --from -"],
  ["web.yaml", "a: b", undefined],
])("%s is reported with the tool that renders its manifests", (file, text, command) => {
  const read = readManifests(file, text);
  const [problem] = read.ok ? [] : read.problems;
  expect(problem?.fix).toBe(
    command === undefined
      ? "Name files with manifests, not files of a chart or a kustomization"
      : `Render the manifests first: ${command}`,
  );
});

const from = (stdin: Readable | undefined) =>
  readInitSources({ cwd: () => "/", ...(stdin && { stdin: stdin as NodeJS.ReadStream }) }, ["-"]);

test("the output of another program is read from stdin", async () => {
  const { files } = await from(Readable.from([Buffer.from(head), Buffer.from("data: {}")]));
  expect(files).toEqual([{ file: "stdin", text: `${head}data: {}` }]);
});

test("init doesn't wait for unused stdin, and an endless stdin is rejected", async () => {
  await expect(from(undefined)).rejects.toThrow("--from - reads stdin");
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(1024 * 1024, "#");
    })(),
  );
  await expect(from(endless)).rejects.toThrow(
    "The manifests exceed 16 MiB in total\n  exceeded at: stdin",
  );
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
    name: "two with one name",
    objects: [
      workload("web", "Deployment", { a: "web:1" }),
      workload("web", "StatefulSet", { b: "b:1" }),
    ],
    expected:
      "namespace webDeployment0Image webDeployment0Replicas webStatefulSet1Image webStatefulSet1Replicas",
  },
])("the adapter has the parameters of $name", ({ objects, expected }) => {
  const { cue } = manifestAdapter("shop", objects);
  const [, block = ""] = /parameters: \{\n(.*?)\n\t\}/s.exec(cue) ?? [];
  expect([...block.matchAll(/^\t\t(\w+):/gm)].map(([, name]) => name).join(" ")).toBe(expected);
});

test("names that differ only by hyphens stay different", () => {
  const { cue } = manifestAdapter("shop", [
    workload("web", "Deployment", { "a-b": "1", "a--b": "2" }),
  ]);
  expect(cue).toContain('aBImage: string | *"1"');
  expect(cue).toContain('aBImage2: string | *"2"');
  const named = (name: string, kind: string): KubeObject => ({
    apiVersion: "a.b/v1",
    kind,
    metadata: { name },
  });
  const ids = manifestAdapter("shop", [
    named("a.b", "Web"),
    named("a-b", "Web"),
    named("a-b", "Web2"),
  ]).cue;
  expect([...ids.matchAll(/^\t\t(\w+): \{/gm)].map(([, id]) => id)).toEqual([
    "aBWeb",
    "aBWeb2",
    "web2",
  ]);
});

test("a reference in an image is text, also as a default", () => {
  const { cue } = manifestAdapter("shop", [workload("web", "Deployment", { web: "$(ref.a.b)" })]);
  expect(cue).toContain('image: string | *"$$(ref.a.b)"');
});

test("deeply nested lists are written quickly", () => {
  const deep = JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`);
  const { cue } = manifestAdapter("shop", [{ ...workload("web", "Deployment", {}), data: deep }]);
  expect(cue.match(/\[/g)).toHaveLength(201);
});

test("fields that the API server filled in are omitted, unless they were applied", () => {
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

test("null, which servers before Kubernetes 1.34 write into templates, is omitted", () => {
  const template = (metadata: JsonObject) => ({ metadata, spec: { containers: [{ name: "a" }] } });
  const live: KubeObject = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "web", annotations: { [lastApplied]: '{"metadata":{"labels":null}}' } },
    spec: {
      template: template({ creationTimestamp: null, labels: { app: "web" } }),
      volumeClaimTemplates: [{ metadata: { creationTimestamp: null, name: "data" } }],
      other: { metadata: { creationTimestamp: null } },
    },
  };
  const { spec } = liveManifest(live);
  expect(spec).toEqual({
    template: template({ labels: { app: "web" } }),
    volumeClaimTemplates: [{ metadata: { name: "data" } }],
  });
});

test("null is kept in a custom resource, because its CustomResourceDefinition decides later", () => {
  const live: KubeObject = {
    apiVersion: "shop.example/v1",
    kind: "Valve",
    metadata: { name: "main" },
    spec: { limit: null, template: { metadata: { creationTimestamp: null, name: "a" } } },
  };
  expect(liveManifest(live).spec).toEqual(live.spec);
  const [read] = readFiles([{ file: "valve.yaml", text: JSON.stringify(live) }]);
  expect(read?.object.spec).toEqual(liveManifest(live).spec);
});

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

test("the generation of a DaemonSet's template is omitted", () => {
  const generation = { "deprecated.daemonset.template.generation": "3", "example.com/own": "1" };
  const metadata = { name: "agent", namespace: "shop", annotations: generation };
  const live = { apiVersion: "apps/v1", kind: "DaemonSet", metadata };
  expect(liveManifest(live).metadata).toEqual({
    ...{ name: "agent", namespace: "shop" },
    annotations: { "example.com/own": "1" },
  });
});
