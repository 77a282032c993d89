import type { Deployment } from "../../../src/model/deployments/deployment.ts";
import type { Release } from "../../../src/model/deployments/release.ts";
import { createReleaseHistory } from "../../../src/model/deployments/release-history.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../../src/model/object.ts";
import type { Change, Edge, Plan } from "../../../src/model/plan/plan.ts";
import type { Compilation, LayoutNode, Manifest } from "../../../src/model/sources/compilation.ts";
import { leafEntries, type ResourceTrace } from "../../../src/model/sources/trace.ts";
import { attribute } from "../../../src/plan/attribution/attribute.ts";
import type { CommentInput, DeploymentReport } from "../../../src/report/comment/comment-input.ts";

/**
 * Returns the preview of a small shop's pull request: a new image and a new ConfigMap with a hash
 * suffix.
 * Tests change the parts that they check. The screenshot in the README is made from it.
 */
export function shopReport(
  changes: Partial<DeploymentReport> = {},
  releases: readonly Release[] = [shopRelease()],
): DeploymentReport {
  const report: DeploymentReport = {
    deployment: shopDeployment(),
    base: shopCompilation("1.4.2", "2ed2af4518", "info"),
    head: shopCompilation("1.5.0", "308a0d0c4c", "debug"),
    problems: [],
    plan: shopPlan(),
    blockers: [],
    clusterState: { compared: true },
    release: 7,
    ...changes,
  };
  const { plan } = report;
  const history = createReleaseHistory(releases);
  return plan === undefined || changes.attributions !== undefined
    ? report
    : { ...report, attributions: attribute(plan, { ...report, history }) };
}

/** Returns release 7. By default, it has the manifests of the target branch. */
export function shopRelease(
  manifests: readonly Manifest[] = manifestsOf(shopCompilation("1.4.2", "2ed2af4518", "info")),
  changes: Partial<Release> = {},
): Release {
  return {
    format: 1,
    deployment: "shop-staging",
    revision: 7,
    status: "succeeded",
    rollbackOf: undefined,
    inputConfig: { config: "services/shop/.valuestream/qvs.yaml", params: {}, modules: [] },
    expandedConfig: manifests.map(({ stage, id, object, dependsOn }) => {
      return { stage, resource: id, object, dependsOn };
    }),
    layout: layout("1.4.2", "info"),
    source: {
      commit: "8c41d7e2b95f03a6d1c8e7f4b2a9d0c3e6f5a4b1",
      actor: undefined,
      run: undefined,
    },
    startedAt: "2026-11-15T10:00:00Z",
    finishedAt: "2026-11-15T10:01:00Z",
    inventory: [],
    results: [],
    ...changes,
  };
}

function manifestsOf({ resources }: Compilation): readonly Manifest[] {
  return resources.filter((resource) => resource.type === "manifest");
}

export function commentInput(...deployments: readonly DeploymentReport[]): CommentInput {
  return {
    deployments,
    pullRequest: 42,
    headCommit: "5f0c3a9d1b7e4c2f8a6d0e3b9c7f1a2d4e6b8c0d",
    runUrl: "https://github.com/acme/shop/actions/runs/42",
    repositoryUrl: "https://github.com/acme/shop",
    now: "2026-11-22T12:00:00Z",
  };
}

export function shopDeployment(changes: Partial<Deployment> = {}): Deployment {
  return {
    name: "shop-staging",
    config: "services/shop/.valuestream/qvs.yaml",
    params: ["params/staging.yaml"],
    environment: "staging",
    context: undefined,
    namespace: "shop",
    dependsOn: [],
    ...changes,
  };
}

export function shopCompilation(version: string, hash: string, level: string): Compilation {
  const resources = [
    manifest("appSetup", "config", configMap(hash, level)),
    manifest("app", "service", service()),
    manifest("app", "web", web(version, hash, 3)),
  ];
  return {
    resources,
    pulumi: undefined,
    layout: layout(version, level),
    trace: resources.map(traceOf),
    warnings: [],
    inputs: [],
  };
}

export function shopPlan(changes: Partial<Plan> = {}): Plan {
  const old = configMap("2ed2af4518", "info");
  const config = planned("appSetup", "config", configMap("308a0d0c4c", "debug"), undefined);
  const readsConfig = { on: config.key, reason: "its Pod template reads it" };
  return {
    deployment: "shop-staging",
    namespace: "shop",
    changes: [
      config,
      planned("app", "web", web("1.5.0", "308a0d0c4c", 3), live(web("1.4.2", "2ed2af4518", 3)), [
        readsConfig,
      ]),
      planned("app", "service", service(), live(service())),
    ],
    deletions: [
      {
        key: keyOf(idOf(old)),
        id: idOf(old),
        stage: "appSetup",
        apiVersion: "v1",
        uid: "uid",
        live: live(old),
        after: [],
      },
    ],
    kept: [],
    notices: [],
    digest: "9f2c4e6a8b0d1f3e5c7a9b1d3f5e7c9a0b2d4f6e8c0a1b3d5f7e9c1a3b5d7f9e",
    ...changes,
  };
}

export function planned(
  stage: Change["stage"],
  resource: string,
  desired: KubeObject,
  before: KubeObject | undefined,
  after: readonly Edge[] = [],
): Change {
  const same = before !== undefined && JSON.stringify(before.spec) === JSON.stringify(desired.spec);
  return {
    key: keyOf(idOf(desired)),
    id: idOf(desired),
    stage,
    resource,
    action: before === undefined ? "create" : same ? "unchanged" : "update",
    steps: same ? [] : [{ type: "apply" }],
    desired,
    live: before,
    predicted: before === undefined ? undefined : live(desired),
    certainty: { by: same ? "comparison" : "server" },
    after,
  };
}

/** Adds the values that the API server sets. None of them must look like a change. */
export function live(object: KubeObject): KubeObject {
  const metadata = { ...object.metadata, uid: "uid", resourceVersion: "123", managedFields: [] };
  return { ...object, metadata, status: { observedGeneration: 4 } };
}

function manifest(stage: Manifest["stage"], id: string, object: JsonObject): Manifest {
  return { type: "manifest", stage, id, object, dependsOn: [] };
}

export function configMap(hash: string, level: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `web-config-${hash}`, namespace: "shop" },
    data: { "app.properties": `log.level=${level}\nlog.format=json\nport=8080\n` },
  };
}

export function service(): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "shop" },
    spec: { ports: [{ name: "http", port: 80, targetPort: 8080 }], selector: { app: "web" } },
  };
}

function web(version: string, hash: string, replicas: number): KubeObject {
  const container = {
    name: "web",
    image: `registry.example/shop:${version}`,
    ports: [{ name: "http", containerPort: 8080 }],
    envFrom: [{ configMapRef: { name: `web-config-${hash}` } }],
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [container] } },
    },
  };
}

function layout(version: string, level: string): LayoutNode {
  const file = "services/shop/.valuestream/qvs.yaml";
  const node = { group: undefined, file, composites: [], params: {} };
  const config = {
    ...node,
    pattern: "shop.example/adapters/config:hashed",
    name: "config",
    line: 1,
    sources: { level: { at: undefined, from: ["logLevel"] } },
    resources: ["appSetup/config"],
  };
  const deployment = {
    ...node,
    pattern: "shop.example/adapters/web:deployment",
    name: "web",
    line: 14,
    params: { appName: "web", image: `registry.example/shop:${version}`, logLevel: level },
    resources: ["app/service", "app/web"],
    composites: [config],
  };
  return { ...node, pattern: "", name: "", line: 1, resources: [], composites: [deployment] };
}

/**
 * Returns the trace of a resource in the shop. The name of its ConfigMap ends in a hash of
 * `logLevel`.
 */
function traceOf({ stage, id, object }: Manifest): ResourceTrace {
  const node = id === "config" ? [0, 0] : [0];
  const at = [{ file: `adapters/${id}/main.cue`, line: 7, column: 3 }];
  const fields = leafEntries(object).map(([path, value]) => {
    const made = parametersIn(String(value), id).map((name) => ({ name, at: undefined }));
    return { path, origins: [{ node, at, made, decided: [], reads: [] }] };
  });
  return { resource: `${stage}/${id}`, fields };
}

function parametersIn(value: string, id: string): readonly string[] {
  if (value.startsWith("registry.example/")) return ["image"];
  if (value.startsWith("web-config-") || value.startsWith("log.level")) {
    return [id === "config" ? "level" : "logLevel"];
  }
  return value === "web" ? ["appName"] : [];
}
