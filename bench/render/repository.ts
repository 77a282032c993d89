import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A repository with a chart and an overlay that have the same number of objects. */
export interface RenderedRepository {
  readonly directory: string;
  readonly chart: string;
  readonly overlay: string;
  /** The configs of qvs for each of them. */
  readonly configs: { readonly chart: string; readonly overlay: string };
  remove(): void;
}

/** Writes a chart and an overlay with so many Deployments. */
export function renderedRepository(count: number): RenderedRepository {
  const directory = mkdtempSync(join(tmpdir(), "qvs-bench-"));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  const numbers = Array.from({ length: count }, (_, index) => index);
  write("chart/Chart.yaml", "{apiVersion: v2, name: shop, version: 1.0.0}\n");
  write("chart/values.yaml", "replicas: 1\nimage: {name: registry.example/shop, tag: '1.0'}\n");
  write("chart/templates/_names.tpl", helpers);
  for (const each of numbers) write(`chart/templates/web${each}.yaml`, template(each));
  for (const each of numbers) write(`base/web${each}.yaml`, manifest(each));
  write(
    "base/kustomization.yaml",
    `resources: [${numbers.map((n) => `web${n}.yaml`).join(", ")}]\n`,
  );
  write("overlay/kustomization.yaml", overlay);
  const configs = {
    chart: ".valuestream/qvs-chart.yaml",
    overlay: ".valuestream/qvs-overlay.yaml",
  };
  write(
    configs.chart,
    "designPatterns: [{helm: {chart: ../chart, release: shop, set: {replicas: 3}}}]\n",
  );
  write(configs.overlay, "designPatterns: [{kustomize: ../overlay}]\n");
  execFileSync("git", ["init", "--quiet"], { cwd: directory });
  return {
    ...{ directory, configs },
    chart: join(directory, "chart"),
    overlay: join(directory, "overlay"),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

const helpers = `{{- define "shop.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Values.image.tag | quote }}
{{- end -}}
`;

function template(number: number): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ printf "%s-web${number}" .Release.Name | trunc 63 }}
  labels: {{- include "shop.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web${number}}}
  template:
    metadata:
      labels: {app: web${number}}
    spec:
      containers:
        - name: web
          image: "{{ .Values.image.name }}:{{ .Values.image.tag }}"
          resources: {requests: {cpu: 100m, memory: 64Mi}}
`;
}

function manifest(number: number): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: web${number}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web${number}}}
  template:
    metadata: {labels: {app: web${number}}}
    spec:
      containers:
        - {name: web, image: registry.example/shop, resources: {requests: {cpu: 100m, memory: 64Mi}}}
`;
}

const overlay = `resources: [../base]
namePrefix: shop-
images: [{name: registry.example/shop, newTag: '1.0'}]
labels: [{pairs: {app.kubernetes.io/name: shop}}]
patches:
  - target: {kind: Deployment}
    patch: |-
      - {op: replace, path: /spec/replicas, value: 3}
`;
