import type { Json, JsonObject } from "../../../src/model/json.ts";
import { idOf, type KubeObject, keyOf } from "../../../src/model/object.ts";
import type { Change, Plan } from "../../../src/model/plan/plan.ts";
import type { Finding } from "../../../src/model/problems/finding.ts";
import type { ClusterFact, ClusterFacts } from "../../../src/preflight/cluster-facts.ts";
import { rolloutOutcomes } from "../../../src/preflight/rules/rollout-outcomes.ts";
import { deployment, type Fields, type WorkloadOptions } from "../../support/rollout-pieces.ts";

const three = ["a", "b", "c"].map((name) => node(name));

export function known(value: readonly KubeObject[]): ClusterFact<readonly KubeObject[]> {
  return { known: true, value };
}

/**
 * Returns a cluster of three nodes in which the Deployment runs, one Pod on each. Without options,
 * it doesn't run.
 */
export function around(options?: WorkloadOptions): ClusterFacts {
  const template = options && (stored(options).spec as JsonObject).template;
  const set = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { ...owned("web-1", "set"), labels: {} },
    spec: { replicas: 3, template: template ?? {} },
  };
  const own = known([]);
  return {
    nodes: known(three),
    pods: known(template === undefined ? [] : three.map((each) => pod(each, template))),
    replicaSets: known(template === undefined ? [] : [set as KubeObject]),
    namespaces: own,
    priorityClasses: own,
    claims: own,
    volumes: own,
    storageClasses: own,
    csiNodes: own,
    autoscaler: undefined,
    samplePods: new Map(),
    sampleClaims: new Map(),
    upstreamChanges: [],
    upstreamDeletions: [],
    quotas: new Map(),
    dependencies: new Map(),
    users: new Map(),
    referrers: new Map(),
    kinds: [],
    admissionObjects: [],
    unready: new Map(),
    owners: new Map(),
    unruledKinds: new Map(),
    healthRuleFaults: [],
  };
}

export function owned(name: string, uid: string, by = "web"): JsonObject {
  return { name, namespace: "shop", uid, ownerReferences: [{ uid: by, controller: true }] };
}

export function node(name: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, grid: "CASE" } },
    status: { allocatable: { cpu: "32", memory: "64Gi", pods: "110" } },
  };
}

function pod({ metadata }: KubeObject, template: Json): KubeObject {
  const { metadata: meta, spec } = template as { metadata: JsonObject; spec: JsonObject };
  const name = metadata.name as string;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...owned(`web-1-${name}`, name, "set"), labels: meta.labels ?? {} },
    spec: { ...spec, nodeName: name },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  };
}

export function stored(options: WorkloadOptions): KubeObject {
  const object = deployment(options) as Fields & { metadata: Fields };
  return {
    ...object,
    metadata: { ...object.metadata, namespace: "shop" },
  } as unknown as KubeObject;
}

export function creationOf(options: WorkloadOptions): Change {
  const desired = stored(options);
  const id = idOf(desired);
  return {
    ...{ key: keyOf(id), id, stage: "app", resource: "web", action: "create", steps: [] },
    ...{ desired, live: undefined, predicted: desired, certainty: { by: "server" }, after: [] },
  };
}

/** Returns the change of any object of the namespace; `live` is the existing object. */
export function changeOf(object: Fields, live?: Fields): Change {
  const inShop = (fields: Fields): KubeObject => {
    const { metadata = {} } = fields as { metadata?: JsonObject };
    return { ...fields, metadata: { namespace: "shop", ...metadata } } as unknown as KubeObject;
  };
  const desired = inShop(object);
  const id = idOf(desired);
  const common = { ...creationOf({}), key: keyOf(id), id, desired, predicted: desired };
  return live === undefined ? common : { ...common, action: "update", live: inShop(live) };
}

/** Returns the creation of another object of the same plan, with the name `own`. */
export function plannedOf(fields: JsonObject): Change {
  const isClaim = fields.kind === "PersistentVolumeClaim";
  const metadata = { name: "own", ...(isClaim && { namespace: "shop" }) };
  const desired = { ...fields, metadata } as unknown as KubeObject;
  const id = idOf(desired);
  return { ...creationOf({}), key: keyOf(id), id, desired, predicted: desired };
}

export function updateOf(before: WorkloadOptions, after: WorkloadOptions): Change {
  const live = stored(before);
  const uid = { ...live, metadata: { ...live.metadata, uid: "web" } };
  return { ...creationOf(after), action: "update", live: uid };
}

export function findingLines(
  changes: readonly Change[],
  facts: ClusterFacts,
  timeoutMs?: number,
): readonly string[] {
  const found = findingsOf(changes, facts, timeoutMs);
  return found.flatMap(({ severity, code, what, why, fix, paste = [] }) => [
    `${severity} ${code} ${what}`,
    `  ${why}`,
    ...(fix === "" ? [] : [`  ${fix}`]),
    ...(paste.length === 0 ? [] : [`    ${paste.join("\n    ")}`]),
  ]);
}

export function findingsOf(
  changes: readonly Change[],
  facts: ClusterFacts,
  timeoutMs?: number,
): readonly Finding[] {
  const plan = { deployment: "shop", namespace: "shop", changes, deletions: [], kept: [] };
  return rolloutOutcomes({
    plan: { ...plan, notices: [], digest: "" } satisfies Plan,
    facts,
    timeoutMs,
    releases: { declared: new Set() },
    placeOf: () => undefined,
  });
}
