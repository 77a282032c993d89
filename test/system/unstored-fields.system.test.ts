import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import {
  readServerVersion,
  type ServerVersion,
} from "../../src/model/cluster/api/server-version.ts";
import { isSubset } from "../../src/model/cluster/fields/immutable-fields.ts";
import {
  closedGates,
  withoutUnstoredFields,
} from "../../src/model/cluster/fields/unstored-fields.ts";
import type { Json } from "../../src/model/json.ts";
import type { KubeObject } from "../../src/model/object.ts";
import { ask } from "../support/cluster/api/ask.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";

/** Compares the table of gated fields with the fields that a real API server drops. */
const cluster = useCluster();
let namespace: string;
let server: ServerVersion | undefined;

beforeAll(async () => {
  namespace = await cluster.namespace("unstored");
  server = readServerVersion(JSON.parse(await ask(cluster, "/version")));
});

const container = (more: string) => `{containers: [{name: a, image: acme/web:1, ${more}}]}`;
const withVolume = (source: string) =>
  `{containers: [{name: a, image: acme/web:1}], volumes: [{name: v, ${source}}]}`;
const withFields = (more: string) => `{containers: [{name: a, image: acme/web:1}], ${more}}`;
const get = "path: /, port: 80, protocol: HTTP2";

test.each([
  withFields("hostUsers: false"),
  withFields("securityContext: {supplementalGroupsPolicy: Strict}"),
  withFields("securityContext: {seLinuxChangePolicy: Recursive}"),
  container("resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}]"),
  withFields("resources: {requests: {cpu: 1}, limits: {cpu: 1}}"),
  `{hostUsers: false, containers: [{name: a, image: acme/web:1, securityContext: {procMount: Unmasked}}]}`,
  `{resourceClaims: [{name: c, resourceClaimName: gpu}], containers: [{name: a, image: acme/web:1, resources: {claims: [{name: c}]}}]}`,
  withFields("hostnameOverride: web.example.com"),
  `{volumes: [{name: v, image: {reference: acme/data:1}}], containers: [{name: a, image: acme/web:1, volumeMounts: [{name: v, mountPath: /v}]}]}`,
  container(
    "restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [1]}}]",
  ),
  withFields("initContainers: [{name: i, image: acme/web:1, restartPolicy: Always}]"),
  container("lifecycle: {stopSignal: SIGUSR1}").replace(/}$/, ", os: {name: linux}}"),
  container("livenessProbe: {grpc: {port: 80, mode: TLS}}"),
  container(`readinessProbe: {httpGet: {${get}}}`),
  container(`lifecycle: {preStop: {httpGet: {${get}}}}`),
  withVolume("emptyDir: {mode: 448}"),
  withVolume("secret: {secretName: s, defaultUser: 5, items: [{key: k, path: p, user: 5}]}"),
  withFields("schedulingGroup: {podGroupName: g}"),
])("a new Pod keeps the expected fields of %s", async (spec) => {
  // Older servers reject a container with its own restart policy.
  if (spec.includes("restartPolicyRules") && (server?.minor ?? 0) < 34) return;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a" },
    spec: { ...parse(spec), automountServiceAccountToken: false },
  };
  await compare(pod, `/api/v1/namespaces/${namespace}/pods`);
});

const autoscaler = "apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler";
const claim = "resources: {requests: {storage: 1Gi}}, accessModes: [ReadWriteOnce]";

test.each([
  [
    `{${autoscaler}, spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, behavior: {scaleUp: {tolerance: 200m}, scaleDown: {tolerance: 300m}}}}`,
    "/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers",
  ],
  [
    `{apiVersion: v1, kind: PersistentVolumeClaim, spec: {${claim}, volumeAttributesClassName: fast}}`,
    "/api/v1/namespaces/NS/persistentvolumeclaims",
  ],
  [
    "{apiVersion: apps/v1, kind: StatefulSet, spec: {serviceName: a, selector: {matchLabels: {app: a}}, updateStrategy: {rollingUpdate: {maxUnavailable: 2}}, template: {metadata: {labels: {app: a}}, spec: {hostnameOverride: a, containers: [{name: a, image: acme/web:1}]}}}}",
    "/apis/apps/v1/namespaces/NS/statefulsets",
  ],
  [
    "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, spec: {nodeAllocatableUpdatePeriodSeconds: 60, tokenRequests: [{audience: a}], serviceAccountTokenInSecrets: true, preventPodSchedulingIfMissing: true}}",
    "/apis/storage.k8s.io/v1/csidrivers",
  ],
])("a new object keeps the expected fields of %s", async (text, path) => {
  await compare({ ...parse(text), metadata: { name: "a" } }, path.replace("NS", namespace));
});

/** Sends a dry run, in which the API server ignores fields that it doesn't know. */
async function compare(object: KubeObject, path: string): Promise<void> {
  const query = "dryRun=All&fieldValidation=Ignore";
  const answer = JSON.parse(
    await ask(cluster, `${path}?${query}`, { method: "POST", body: object }),
  );
  expect(answer.kind, answer.message).toBe(object.kind);
  expect(closedGates(answer, server)).toEqual([]);
  const spec = withoutEmpty(withoutUnstoredFields(object, server).spec);
  const isKept = isSubset(spec, answer.spec);
  expect(isKept ? spec : answer.spec).toEqual(spec);
}

/** Removes empty objects and lists. The API server drops some together with their content. */
function withoutEmpty(value: Json | undefined): Json {
  const isEmpty = (inner: Json) =>
    typeof inner === "object" && inner !== null && Object.keys(inner).length === 0;
  return JSON.parse(JSON.stringify(value), (_, inner: Json) =>
    isEmpty(inner) ? undefined : inner,
  );
}
