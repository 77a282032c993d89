import { gzipSync } from "node:zlib";
import {
  deploymentLabel,
  managedByLabel,
  managedByValue,
  releaseNamespaceLabel,
  stageLabel,
} from "../../src/model/annotations.ts";
import type { Release } from "../../src/model/deployments/release.ts";
import { idOf, type KubeObject } from "../../src/model/object.ts";
import { encodeRelease } from "../../src/releases/encode.ts";

/** The number of releases of each deployment: as many as qvs keeps. */
export const releasesOfEach = 10;

/** The number of deployments in one namespace. */
const inEachNamespace = 10;

/**
 * Returns everything that so many deployments leave in a cluster: their objects, and the records of
 * ten releases of each.
 */
export function plantedObjects(deployments: number): readonly KubeObject[] {
  const each = Array.from({ length: deployments }, (_, index) => index);
  const namespaces = new Set(each.map(namespaceOf));
  return [...[...namespaces].map(namespaceNamed), ...each.flatMap(deploymentNumber)];
}

function namespaceOf(index: number): string {
  return `fleet-${Math.floor(index / inEachNamespace)}`;
}

function namespaceNamed(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function deploymentNumber(index: number): readonly KubeObject[] {
  const [name, namespace] = [`app-${index}`, namespaceOf(index)];
  const objects = objectsOf(name, namespace);
  const revisions = Array.from({ length: releasesOfEach }, (_, before) => before + 1);
  const compress = (text: string) => gzipSync(text, { level: 6 });
  const secrets = revisions.flatMap((revision) =>
    encodeRelease(releaseOf(name, revision, objects), { namespace, compress }),
  );
  return [...objects, ...secrets];
}

function objectsOf(name: string, namespace: string): readonly KubeObject[] {
  const labels = {
    [managedByLabel]: managedByValue,
    [deploymentLabel]: name,
    [releaseNamespaceLabel]: namespace,
    [stageLabel]: "app",
  };
  const metadata = { name, namespace, labels };
  const app = { app: name };
  const containers = [{ name: "web", image: "web.example/web:1.0.0" }];
  const template = { metadata: { labels: app }, spec: { containers } };
  const spec = { replicas: 0, selector: { matchLabels: app }, template };
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { text: "x".repeat(2000) } },
    { apiVersion: "v1", kind: "Secret", metadata, data: { token: btoa("x".repeat(200)) } },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: app, ports: [{ port: 80 }] } },
    { apiVersion: "apps/v1", kind: "Deployment", metadata, spec },
  ];
}

function releaseOf(deployment: string, revision: number, objects: readonly KubeObject[]): Release {
  const resources = objects.map(({ kind }) => kind.toLowerCase());
  return {
    format: 1,
    deployment,
    revision,
    status: "succeeded",
    rollbackOf: undefined,
    inputConfig: { config: "designPatterns: []", params: {}, modules: [] },
    expandedConfig: objects.map((object) => ({
      stage: "app",
      resource: object.kind.toLowerCase(),
      object,
      dependsOn: [],
    })),
    layout: {
      ...{ pattern: "fleet.example/app", name: "app", file: "qvs.yaml", line: 1 },
      ...{ group: undefined, params: {}, composites: [] },
      resources: resources.map((each) => `app/${each}`),
    },
    source: { commit: "0".repeat(40), actor: "octocat", run: "https://github.com/acme/fleet" },
    startedAt: "2026-01-02T03:04:05.000Z",
    finishedAt: "2026-01-02T03:05:05.000Z",
    inventory: objects.map((object) => ({
      id: idOf(object),
      apiVersion: object.apiVersion,
      stage: "app",
      after: [],
    })),
    results: objects.map((object) => ({ key: object.kind, outcome: "created", detail: "" })),
  };
}
