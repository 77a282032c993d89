import { expect, test } from "vitest";
import { parse } from "yaml";
import { forbiddenUpdates } from "../../../src/validation/forbidden-changes.ts";

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
const claim = (size: string, more = "") =>
  `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {resources: {requests: {storage: ${size}}}${more}}`;
const volume = (spec: string) =>
  `apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nspec: ${spec}`;
const pod = (tolerations: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {tolerations: ${tolerations}}`;
const podWith = (seconds: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {activeDeadlineSeconds: ${seconds}}`;
const service = (spec: string) =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {${spec}}`;
const job = (image: string, more = "", status = "{}") =>
  `apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {image: ${image}}${more}}\nstatus: ${status}`;
const definition = (versions: string, status = "{}") =>
  `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {versions: [${versions}]}\nstatus: ${status}`;

const builtIn = (apiVersion: string, kind: string, content: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a}\n${content}`;
const event = (content: string, apiVersion = "events.k8s.io/v1") =>
  `apiVersion: ${apiVersion}\nkind: Event\nmetadata: {name: a}\n${content}`;

const cases: readonly (readonly [what: string, live: string, next: string, string[]])[] = [
  ["the data of a ConfigMap", `${configMap}data: {a: "1"}`, `${configMap}data: {a: "2"}`, []],
  [
    "the data of an immutable ConfigMap",
    `${configMap}immutable: true\ndata: {a: "1"}`,
    `${configMap}immutable: true\ndata: {a: "2"}`,
    ["data"],
  ],
  [
    "an immutable ConfigMap that isn't any longer",
    `${configMap}immutable: true\ndata: {a: "1"}`,
    `${configMap}data: {a: "1"}`,
    ["immutable"],
  ],
  ["a Pod with less time", podWith("60"), podWith("30"), []],
  ["a Pod with more time", podWith("60"), podWith("90"), ["spec.activeDeadlineSeconds"]],
  ["a Pod without its limit", podWith("60"), pod("[]"), ["spec.activeDeadlineSeconds"]],
  ["a larger claim", claim("1Gi"), claim("2Gi"), []],
  ["a smaller claim", claim("2Gi"), claim("1Gi"), ["spec.resources.requests.storage"]],
  [
    "another class of a claim",
    claim("1Gi", ", storageClassName: a"),
    claim("1Gi", ", storageClassName: b"),
    ["spec.storageClassName"],
  ],
  [
    "a claim without its attributes class",
    `${claim("1Gi", ", volumeAttributesClassName: gold")}\nstatus: {phase: Bound, currentVolumeAttributesClassName: gold}`,
    claim("1Gi"),
    ["spec.volumeAttributesClassName"],
  ],
  [
    "another attributes class of a claim without a volume",
    `${claim("1Gi", ", volumeAttributesClassName: gold")}\nstatus: {phase: Pending}`,
    claim("1Gi", ", volumeAttributesClassName: silver"),
    ["spec.volumeAttributesClassName"],
  ],
  [
    "another attributes class",
    claim("1Gi", ", volumeAttributesClassName: gold"),
    claim("1Gi", ", volumeAttributesClassName: silver"),
    [],
  ],
  ["the first attributes class", claim("1Gi"), claim("1Gi", ", volumeAttributesClassName: a"), []],
  ["the first node affinity of a volume", volume("{}"), volume("{nodeAffinity: {a: 1}}"), []],
  [
    "a volume without its node affinity",
    volume("{nodeAffinity: {a: 1}}"),
    volume("{}"),
    ["spec.nodeAffinity"],
  ],
  [
    "the Secret with which a driver grows a volume",
    volume("{csi: {driver: a}}"),
    volume("{csi: {driver: a, controllerExpandSecretRef: {name: b}}}"),
    [],
  ],
  [
    "another driver, with a Secret",
    volume("{csi: {driver: a}}"),
    volume("{csi: {driver: b, controllerExpandSecretRef: {name: b}}}"),
    ["spec.csi"],
  ],
  ["another toleration", pod("[{key: a}]"), pod("[{key: a}, {key: b}]"), []],
  ["one toleration fewer", pod("[{key: a}, {key: b}]"), pod("[{key: b}]"), ["spec.tolerations"]],
  [
    "another address",
    service("clusterIP: None"),
    service("clusterIP: 10.0.0.1"),
    ["spec.clusterIP"],
  ],
  [
    "the address of a Service that becomes a name",
    service("clusterIP: 10.0.0.1"),
    service("type: ExternalName, externalName: a.example"),
    [],
  ],
  [
    "an empty address in the manifest",
    service("clusterIP: 10.0.0.1"),
    service('clusterIP: ""'),
    [],
  ],
  ["no address in the manifest", service("clusterIP: 10.0.0.1"), service("type: ClusterIP"), []],
  [
    "the second family of a Service",
    service("clusterIPs: [10.0.0.1, 'fd00::1'], ipFamilies: [IPv4, IPv6]"),
    service("clusterIPs: [10.0.0.1], ipFamilies: [IPv4]"),
    [],
  ],
  [
    "the first family of a Service",
    service("ipFamilies: [IPv4, IPv6]"),
    service("ipFamilies: [IPv6, IPv4]"),
    ["spec.ipFamilies"],
  ],
  [
    "ports on the nodes of a headless Service",
    service("clusterIP: None"),
    service("clusterIP: None, type: NodePort"),
    ["spec.clusterIPs[0]"],
  ],
  ["the template of a Job", job("a"), job("b"), ["spec.template"]],
  ["the template of a Job that hasn't started", job("a", ", suspend: true"), job("b"), []],
  [
    "the template of a Job that was suspended later",
    job("a", ", suspend: true", '{startTime: "2026-01-01T00:00:00Z"}'),
    job("b"),
    ["spec.template"],
  ],
  [
    "a version that isn't stored",
    definition("{name: v1, storage: true}, {name: v2, storage: false}"),
    definition("{name: v1, storage: true}"),
    [],
  ],
  [
    "a version that is stored",
    definition("{name: v1, storage: false}, {name: v2, storage: true}"),
    definition("{name: v1, storage: true}"),
    ["status.storedVersions"],
  ],
  [
    "a version in which objects might be stored",
    definition("{name: v1, storage: true}, {name: v2}", "{storedVersions: [v1, v2]}"),
    definition("{name: v1, storage: true}"),
    ["status.storedVersions"],
  ],
  [
    "another source of a volume",
    volume("{iscsi: {lun: 1}}"),
    volume("{iscsi: {lun: 2}}"),
    ["spec.iscsi"],
  ],
  [
    "a volume without its attributes class",
    volume("{volumeAttributesClassName: gold}"),
    volume("{}"),
    ["spec.volumeAttributesClassName"],
  ],
  [
    "another limit per index of a Job",
    job("a", ", backoffLimitPerIndex: 1"),
    job("a"),
    ["spec.backoffLimitPerIndex"],
  ],
  [
    "another port for health checks",
    service("type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30001"),
    service("type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30002"),
    ["spec.healthCheckNodePort"],
  ],
  [
    "a second family that is released without the policy for that",
    service("ipFamilies: [IPv4, IPv6]"),
    service("ipFamilyPolicy: PreferDualStack, ipFamilies: [IPv4]"),
    ["spec.ipFamilyPolicy"],
  ],
  [
    "fields of a load balancer in another Service",
    service("type: ClusterIP"),
    service("type: NodePort, allocateLoadBalancerNodePorts: false, loadBalancerClass: a"),
    ["spec.allocateLoadBalancerNodePorts", "spec.loadBalancerClass"],
  ],
  [
    "a port on the nodes in an internal Service",
    service("type: ClusterIP"),
    service("ports: [{port: 80, nodePort: 30001}]"),
    ["spec.ports"],
  ],
  [
    "a traffic policy with an external IP",
    service("type: ClusterIP"),
    service("externalIPs: [192.0.2.1], externalTrafficPolicy: Local"),
    [],
  ],
  [
    "the first port for health checks",
    service(""),
    service("type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30002"),
    [],
  ],
  [
    "another request of a claim for devices",
    builtIn("resource.k8s.io/v1", "ResourceClaim", "spec: {devices: {requests: [{name: a}]}}"),
    builtIn("resource.k8s.io/v1", "ResourceClaim", "spec: {devices: {requests: [{name: b}]}}"),
    ["spec"],
  ],
  [
    "other parameters of an attributes class",
    builtIn("storage.k8s.io/v1", "VolumeAttributesClass", "driverName: a\nparameters: {iops: '1'}"),
    builtIn("storage.k8s.io/v1", "VolumeAttributesClass", "driverName: a\nparameters: {iops: '2'}"),
    ["parameters"],
  ],
  ["another note of an Event", event('note: "a"'), event('note: "b"'), ["note"]],
  [
    "another message of an Event of the core API",
    event('message: "a"', "v1"),
    event('message: "b"', "v1"),
    [],
  ],
];

test.each(cases)("%s", (_, live, next, fields) => {
  expect(forbiddenUpdates(parse(live), parse(next), undefined).map(({ field }) => field)).toEqual(
    fields,
  );
});

const set = (limit: number) =>
  `apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {revisionHistoryLimit: ${limit}}`;
const ranBefore = (more: string) =>
  job("a", ", suspend: true", `{startTime: "2026-01-01T00:00:00Z", ${more}}`);
const suspended = "conditions: [{type: Suspended, status: 'True'}]";

const ranges = (cidrs: string) =>
  builtIn("networking.k8s.io/v1", "ServiceCIDR", `spec: {cidrs: ${cidrs}}`);
const gold = claim("1Gi", ", volumeAttributesClassName: gold");

test.each([
  [33, "a claim without its unused class", gold, claim("1Gi"), ["spec.volumeAttributesClassName"]],
  [34, "a claim without its unused class", gold, claim("1Gi"), []],
  [
    32,
    "a second range",
    ranges("[10.0.0.0/8]"),
    ranges("[10.0.0.0/8, 'fd00::/64']"),
    ["spec.cidrs"],
  ],
  [33, "a second range", ranges("[10.0.0.0/8]"), ranges("[10.0.0.0/8, 'fd00::/64']"), []],
  [33, "another range", ranges("[10.0.0.0/8]"), ranges("[10.0.0.0/9]"), ["spec.cidrs"]],
  [32, "the history limit of a StatefulSet", set(1), set(2), ["spec.revisionHistoryLimit"]],
  [33, "the history limit of a StatefulSet", set(1), set(2), []],
  [35, "the template of a suspended Job", ranBefore(suspended), job("b"), ["spec.template"]],
  [36, "the template of a suspended Job", ranBefore(suspended), job("b"), []],
  [
    36,
    "the template of a suspended Job that still runs Pods",
    ranBefore(`${suspended}, active: 1`),
    job("b"),
    ["spec.template"],
  ],
])("Kubernetes 1.%s and %s", (minor, _, live, next, fields) => {
  const causes = forbiddenUpdates(parse(live), parse(next), { major: 1, minor });
  expect(causes.map(({ field }) => field)).toEqual(fields);
});
