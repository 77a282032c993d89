import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import {
  apart,
  type Fields,
  rollout,
  type WorkloadOptions,
} from "../../../support/rollout-pieces.ts";
import { around, changeOf, findingsOf, known, node, owned } from "../rollout-plan.ts";

/**
 * Tests predictions about Argo Rollouts with Pods of earlier versions.
 * `test/sweeps/grid/cases/versions.ts` compares them with the real controller.
 */
interface Version {
  readonly version: number;
  readonly pods: number;
  readonly isBroken?: boolean;
}

interface Story {
  readonly strategy: Fields;
  readonly nodes: number;
  readonly replicas: number;
  /**
   * The existing versions, oldest first. The first one is stable unless `stable` names another one.
   */
  readonly versions: readonly Version[];
  readonly stable?: number;
  readonly next: number;
  readonly nextStrategy?: Fields;
}

const hashKey = "rollouts-pod-template-hash";
const tight: WorkloadOptions = { apart: [apart()] };

function findings({ strategy, nodes, replicas, versions, stable, next }: Story): string {
  const names = Array.from({ length: nodes }, (_, index) => `node-${index + 1}`);
  const of = (version: number) => rollout(strategy, { ...tight, replicas, version });
  const last = versions.at(-1)?.version ?? 1;
  const live = {
    ...of(last),
    metadata: { name: "web", uid: "web" },
    status: { stableRS: `h${stable ?? versions[0]?.version}`, currentPodHash: `h${last}` },
  };
  const places = [...names];
  const pods = versions.flatMap(({ version, pods: count, isBroken = false }) =>
    Array.from({ length: count }, () => pod(of(version), version, places.shift(), isBroken)),
  );
  const facts = {
    ...around(),
    nodes: known(names.map(node)),
    pods: known(pods),
    replicaSets: known(versions.map((each) => replicaSet(of(each.version), each))),
  };
  const found = findingsOf([changeOf(of(next), live)], facts);
  return found.map(({ severity, code }) => `${severity} ${code}`).join(", ");
}

function templateOf(object: Fields, version: number): JsonObject {
  const { template } = object.spec as { readonly template: JsonObject };
  const { metadata, spec } = template as { metadata: JsonObject; spec: JsonObject };
  const labels = { ...(metadata.labels as JsonObject), [hashKey]: `h${version}` };
  // The server adds the default fields.
  const containers = (spec.containers as readonly JsonObject[]).map(
    (each): Json => ({
      ...{ terminationMessagePath: "/dev/termination-log", imagePullPolicy: "IfNotPresent" },
      ...{ ...each, resources: {} },
    }),
  );
  return { metadata: { labels }, spec: { ...spec, containers, restartPolicy: "Always" } };
}

function replicaSet(object: Fields, { version, pods }: Version): KubeObject {
  const template = templateOf(object, version);
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...owned(`web-h${version}`, `set-${version}`),
      creationTimestamp: `2026-01-0${version}T00:00:00Z`,
      labels: { [hashKey]: `h${version}` },
    },
    spec: { replicas: pods, template },
  };
}

function pod(
  object: Fields,
  version: number,
  nodeName: string | undefined,
  isBroken: boolean,
): KubeObject {
  const template = templateOf(object, version);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...owned(`web-h${version}-${nodeName}`, `${version}-${nodeName}`, `set-${version}`),
      labels: (template.metadata as JsonObject).labels ?? {},
    },
    spec: { ...(template.spec as JsonObject), ...(nodeName !== undefined && { nodeName }) },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: isBroken ? "False" : "True" }],
    },
  };
}

const canary = (fields: Fields): Fields => ({ canary: fields });
const weight = (setWeight: number): Fields => ({ setWeight });
const routed = (fields: Fields): Fields =>
  canary({ stableService: "a", canaryService: "b", trafficRouting: {}, ...fields });
const blueGreen = (fields: Fields): Fields => ({
  blueGreen: { activeService: "a", previewService: "b", ...fields },
});
const deadlock = "error rollout-deadlock";

test.each<[string, Story, string]>([
  [
    "another image needs as many nodes",
    {
      strategy: canary({ steps: [weight(20)] }),
      nodes: 3,
      replicas: 3,
      versions: [{ version: 1, pods: 3 }],
      next: 2,
    },
    deadlock,
  ],
  [
    "a rollback to the stable version needs no node",
    {
      strategy: canary({ steps: [weight(20)] }),
      ...{ nodes: 3, replicas: 3, next: 1 },
      versions: [
        { version: 1, pods: 3 },
        { version: 2, pods: 1 },
      ],
    },
    "",
  ],
  [
    "an update to a third version needs one",
    {
      strategy: canary({ steps: [weight(20)] }),
      ...{ nodes: 3, replicas: 3, next: 3 },
      versions: [
        { version: 1, pods: 3 },
        { version: 2, pods: 1 },
      ],
    },
    deadlock,
  ],
  [
    "a rollback to a color that still runs needs no place",
    {
      strategy: blueGreen({ scaleDownDelaySeconds: 3600 }),
      ...{ nodes: 4, replicas: 2, stable: 2, next: 1 },
      versions: [
        { version: 1, pods: 2 },
        { version: 2, pods: 2 },
      ],
    },
    "",
  ],
  [
    "a preview without a promotion is scaled down after its delay",
    {
      strategy: blueGreen({ scaleDownDelaySeconds: 30 }),
      ...{ nodes: 4, replicas: 2, next: 3 },
      versions: [
        { version: 1, pods: 2 },
        { version: 2, pods: 2 },
      ],
    },
    "",
  ],
  [
    "a long delay isn't awaited",
    {
      strategy: blueGreen({ scaleDownDelaySeconds: 3600 }),
      ...{ nodes: 4, replicas: 2, next: 3 },
      versions: [
        { version: 1, pods: 2 },
        { version: 2, pods: 2 },
      ],
    },
    deadlock,
  ],
  [
    "without a delay it isn't scaled down",
    {
      strategy: blueGreen({ scaleDownDelaySeconds: 0 }),
      ...{ nodes: 4, replicas: 2, next: 3 },
      versions: [
        { version: 1, pods: 2 },
        { version: 2, pods: 2 },
      ],
    },
    deadlock,
  ],
  [
    "unless none is kept",
    {
      strategy: blueGreen({ scaleDownDelaySeconds: 0, scaleDownDelayRevisionLimit: 0 }),
      ...{ nodes: 4, replicas: 2, next: 3 },
      versions: [
        { version: 1, pods: 2 },
        { version: 2, pods: 2 },
      ],
    },
    "",
  ],
  [
    "stable Pods keep serving until all canaries exist",
    {
      strategy: routed({ dynamicStableScale: true, steps: [weight(10)] }),
      ...{ nodes: 5, replicas: 3, versions: [{ version: 1, pods: 3 }], next: 2 },
    },
    deadlock,
  ],
  [
    "with a node for each Pod of both versions, nothing waits",
    {
      strategy: routed({ dynamicStableScale: true, steps: [weight(10)] }),
      ...{ nodes: 6, replicas: 3, versions: [{ version: 1, pods: 3 }], next: 2 },
    },
    "",
  ],
  [
    "weights are shares of the router's maximum weight",
    {
      strategy: routed({ trafficRouting: { maxTrafficWeight: 10000 }, steps: [weight(5000)] }),
      ...{ nodes: 4, replicas: 2, versions: [{ version: 1, pods: 2 }], next: 2 },
    },
    "",
  ],
])("%s", (_, story, expected) => {
  expect(findings(story)).toBe(expected);
});
