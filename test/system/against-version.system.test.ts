import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type OpenApi, storedKinds } from "../../scripts/stored-kinds.ts";
import { storedLifecycles } from "../../scripts/stored-lifecycles.ts";
import { readApiLifecycles } from "../../src/io/builtin-kinds/read.ts";
import {
  readServerVersion,
  type ServerVersion,
} from "../../src/model/cluster/api/server-version.ts";
import { fieldOf } from "../../src/model/json.ts";
import type { KubeObject } from "../../src/model/object.ts";
import { upgradeFindings } from "../../src/preflight/upgrade/upgrade-findings.ts";
import { ask } from "../support/cluster/api/ask.ts";
import { runGo } from "../support/cluster/go.ts";
import { manifestsIn } from "../support/cluster/manifests-in.ts";
import { useCluster } from "../support/cluster/use-cluster.ts";
import { knownVersions } from "../support/known-versions.ts";
import { severalDeployments } from "../support/shop/several-deployments.ts";

/** Compares predictions about other versions of Kubernetes with a real control plane. */
const cluster = useCluster();
const oldest: ServerVersion = { major: 1, minor: 32 };
const newest: ServerVersion = { major: 1, minor: 37 };
let namespace: string;
let server: ServerVersion;

beforeAll(async () => {
  namespace = await cluster.namespace("against");
  const version = readServerVersion(JSON.parse(await ask(cluster, "/version")));
  if (version === undefined) throw new Error("the server shows no version");
  server = version;
});

test("the packed lifecycles are those of the Go types of the control plane", async () => {
  const directory = join(import.meta.dirname, "../support/cluster/control-plane");
  const module = await runGo(directory, ["mod", "download", "-json", "k8s.io/api"], {});
  const stored = storedLifecycles([JSON.parse(module).Dir]);
  const all = readApiLifecycles();
  expect(Object.keys(stored).length).toBeGreaterThan(100);
  for (const [key, { introduced, removed }] of Object.entries(stored)) {
    const { introduced: first, removed: end } = fieldOf(all, key) ?? {};
    expect({ key, introduced: first }).toEqual({ key, introduced });
    // Newer types can announce another end, but no other past.
    if (removed !== undefined && removed <= server.minor)
      expect({ key, removed: end }).toEqual({ key, removed });
  }
});

test("the server serves no kind that a finding calls removed or unknown", async () => {
  const index = JSON.parse(await ask(cluster, "/openapi/v3")) as {
    readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
  };
  const documents = await Promise.all(
    Object.entries(index.paths)
      .filter(([path]) => path === "api/v1" || path.startsWith("apis/"))
      .map(async ([, { serverRelativeURL }]) => JSON.parse(await ask(cluster, serverRelativeURL))),
  );
  const served = new Set(Object.keys(storedKinds("", documents as OpenApi[]).kinds));
  const known = [oldest, newest].flatMap(({ minor }) => [
    ...knownVersions.types(`1.${minor}`).builtin.keys(),
  ]);
  const keys = new Set([...Object.keys(readApiLifecycles()), ...known]);
  const absent = [...keys].filter((key) => {
    const [kind = "", ...version] = key.split("/").toReversed();
    const apiVersion = version.toReversed().join("/");
    return rejectionsOf({ apiVersion, kind, metadata: { name: "a" } }).length > 0;
  });
  expect(absent.length).toBeGreaterThan(40);
  expect(absent.filter((key) => served.has(key))).toEqual([]);
});

const service = (more: string) =>
  `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}], ${more}}}`;
const pod = (more: string) =>
  `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {automountServiceAccountToken: false, containers: [{name: a, image: "acme/web:1"}], ${more}}}`;
const policy = (cidr: string) =>
  `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {podSelector: {}, ingress: [{from: [{ipBlock: {cidr: "${cidr}"}}]}]}}`;
const core = "/api/v1/namespaces/NS";

/**
 * Predicts the verdict of this server from the other end of the known versions, and asks the server
 * itself. With QVS_KUBERNETES, that is another version.
 */
test.each([
  [service("trafficDistribution: PreferSameZone"), `${core}/services`],
  [service("trafficDistribution: PreferClose"), `${core}/services`],
  [service("externalIPs: [010.0.0.1]"), `${core}/services`],
  [service("externalIPs: ['::ffff:1.2.3.4']"), `${core}/services`],
  [service("externalIPs: [10.0.0.1]"), `${core}/services`],
  [service("type: LoadBalancer, loadBalancerSourceRanges: [10.0.0.1/8]"), `${core}/services`],
  [service("type: ClusterIP").replace("name: a", "name: 1a"), `${core}/services`],
  [pod("hostAliases: [{ip: 010.0.0.1, hostnames: [a]}]"), `${core}/pods`],
  [pod("dnsConfig: {searches: [_a.example.com]}"), `${core}/pods`],
  [pod("dnsConfig: {searches: [a.example.com.]}"), `${core}/pods`],
  [pod("dnsConfig: {nameservers: [010.0.0.1]}"), `${core}/pods`],
  [pod("hostnameOverride: a"), `${core}/pods`],
  [pod("workloadRef: {name: a, podGroup: b}"), `${core}/pods`],
  [pod("volumes: [{name: a, emptyDir: {mode: 448}}]"), `${core}/pods`],
  [
    service("type: LoadBalancer").replace(
      "name: a}",
      "name: a, annotations: {service.beta.kubernetes.io/load-balancer-source-ranges: '10.0.0.1/8'}}",
    ),
    `${core}/services`,
  ],
  [service("externalIPs: ['::FFFF:0102:0304']"), `${core}/services`],
  [
    "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {defaultBackend: {service: {name: 1web, port: {number: 80}}}}}",
    "/apis/networking.k8s.io/v1/namespaces/NS/ingresses",
  ],
  [
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {minReplicas: 1, maxReplicas: 2, scaleTargetRef: {apiVersion: v1, kind: Deployment, name: a}}}",
    "/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers",
  ],
  [
    "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: a}, addressType: FQDN, endpoints: [{addresses: [a.example.com]}]}",
    "/apis/discovery.k8s.io/v1/namespaces/NS/endpointslices",
  ],
  [policy("10.0.0.1/8"), "/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies"],
  [policy("10.0.0.0/08"), "/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies"],
  [policy("2001:db8::1/64"), "/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies"],
  [policy("2001:db8::/64"), "/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies"],
  [policy("::ffff:10.0.0.0/104"), "/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies"],
  [policy("10.0.0.0/8"), "/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies"],
  [
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {minReplicas: 0, maxReplicas: 2, metrics: [{type: External, external: {metric: {name: a}, target: {type: Value, value: 1}}}], scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}}",
    "/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers",
  ],
  [
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a}, spec: {devices: {requests: [{name: a, exactly: {deviceClassName: a}}]}}}",
    "/apis/resource.k8s.io/v1/namespaces/NS/resourceclaims",
  ],
  [
    "{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, metadata: {name: a}, driverName: a, parameters: {a: b}}",
    "/apis/storage.k8s.io/v1/volumeattributesclasses",
  ],
  [
    "{apiVersion: networking.k8s.io/v1beta1, kind: Ingress, metadata: {name: a}, spec: {backend: {serviceName: a, servicePort: 80}}}",
    "/apis/networking.k8s.io/v1beta1/namespaces/NS/ingresses",
  ],
  [
    "{apiVersion: storagemigration.k8s.io/v1, kind: StorageVersionMigration, metadata: {name: a}, spec: {resource: {group: apps, resource: deployments}}}",
    "/apis/storagemigration.k8s.io/v1/storageversionmigrations",
  ],
])("the server accepts %s as predicted", async (text, path) => {
  const object = parse(text) as KubeObject;
  const query = "dryRun=All&fieldValidation=Strict";
  const answer = await ask(cluster, `${path.replace("NS", namespace)}?${query}`, {
    method: "POST",
    body: object,
  }).then(
    () => "accepted",
    (error: Error) => error.message,
  );
  const rejections = rejectionsOf(object);
  const predicted = rejections.length === 0 ? "accepted" : expect.not.stringMatching("accepted");
  expect(answer, JSON.stringify(rejections)).toEqual(predicted);
});

/** Returns the predicted rejections by this server, for an upgrade and for a downgrade to it. */
function rejectionsOf(object: KubeObject): readonly string[] {
  const version = `1.${server.minor}`;
  const facts = { known: knownVersions, lifecycles: readApiLifecycles() };
  const findings = [oldest, newest].flatMap((from) =>
    upgradeFindings({
      ...{ target: { version, facts }, next: server, server: from },
      ...{ deployed: undefined, declared: [{ object }], namespaces: new Map(), definitions: [] },
    }),
  );
  return findings
    .filter(({ severity, what }) => severity === "warning" && !what.includes("doesn't store"))
    .map(({ what }) => what);
}

test("a preview in JSON names the version, the field and the affected states", async () => {
  const demo = await manifestsIn(cluster);
  const web = `{apiVersion: v1, kind: Service, metadata: {name: 1web}, spec: {ports: [{port: 80}]}}`;
  demo.declare({ app: web.replace("1web", "web") });
  const deployed = await demo.qvs("deploy");
  expect(deployed.code, deployed.stderr).toBe(0);
  demo.declare({ app: web });
  const { stdout } = await demo.qvs("diff", "--against-version", "1.35", "--format", "json");
  const report = JSON.parse(stdout);
  expect(report.againstVersion).toEqual({
    ...{ version: "1.35", server: `1.${server.minor}`, release: 1 },
    findings: server.minor < 36 ? 0 : 1,
  });
  if (server.minor < 36) return;
  expect(report.findings).toContainEqual(
    expect.objectContaining({
      ...{ code: "changed-validation", severity: "warning", field: "metadata.name" },
      upgrade: {
        ...{ version: "1.35", since: "since Kubernetes 1.36", affects: ["change"], release: 1 },
      },
    }),
  );
});

test("one call checks several deployments", async () => {
  const demo = await severalDeployments(cluster, { database: [], "shop-web": [], docs: [] });
  const all = await demo.qvs("diff", "--all", "--against-version", "1.32");
  expect(all.code, all.stderr).toBe(0);
  const lines = (text: string) => text.match(/^Kubernetes 1\.\d+ .*$/gm);
  const line =
    server.minor === 32
      ? "This server already has Kubernetes 1.32"
      : `Kubernetes 1.32 (this server: 1.${server.minor}): no findings in this change`;
  expect(lines(all.stdout)).toEqual([line, line, line]);
  const some = await demo.qvs("diff", "-d", "shop-*", "-d", "docs", "--against-version", "1.32");
  expect(lines(some.stdout)).toEqual([line, line]);
});
