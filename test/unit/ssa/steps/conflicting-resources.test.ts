import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../../src/model/object.ts";
import {
  restoreConflictingResources,
  trialObject,
  withTemporaryName,
} from "../../../../src/ssa/steps/conflicting-resources.ts";

test.each([
  ["db", "db-qvs-preview"],
  [
    "a23456789-123456789-123456789-123456789.example.com",
    "a23456789-123456789-123456789-123456789-qvs-preview",
  ],
  [
    "a23456789-123456789-123456789-12345678-.b",
    "a23456789-123456789-123456789-12345678-qvs-preview",
  ],
  ["system:node", "system:node-qvs-preview"],
  [`${"a".repeat(39)}\u{1f600}b`, `${"a".repeat(39)}\u{1f600}-qvs-preview`],
])("the dry-run sends %s as %s", (name, expected) => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, resourceVersion: "7" } };
  expect(withTemporaryName(object).metadata).toEqual({ name: expected });
});

const service = (spec: string): KubeObject =>
  parse(`{apiVersion: v1, kind: Service, metadata: {name: web}, spec: ${spec}}`);
const live = service(
  "{type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80, nodePort: 30080}, {port: 81, nodePort: 30081}]}",
);

test.each([
  [
    "a node port of the old object",
    "{type: NodePort, ports: [{port: 80, nodePort: 30080}]}",
    "{type: NodePort, ports: [{port: 80}]}",
  ],
  ["another node port", "{type: NodePort, ports: [{port: 80, nodePort: 30082}]}", undefined],
  [
    "neither of two equal values, which the server rejects",
    "{type: LoadBalancer, ports: [{port: 80, nodePort: 30080}, {port: 82, nodePort: 30080}]}",
    "{type: LoadBalancer, ports: [{port: 80}, {port: 82, nodePort: 30080}]}",
  ],
  [
    "the same node port for two protocols",
    "{type: NodePort, ports: [{port: 80, nodePort: 30080}, {port: 80, protocol: UDP, nodePort: 30080}]}",
    "{type: NodePort, ports: [{port: 80}, {port: 80, protocol: UDP}]}",
  ],
  ["a value that its type can't have", "{ports: [{port: 80, nodePort: 30080}]}", undefined],
  [
    "the address of the old object",
    "{clusterIP: 10.0.0.7, ports: [{port: 80}]}",
    "{ports: [{port: 80}]}",
  ],
  ["the address in both fields", "{clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7]}", "{}"],
  ["another address", "{clusterIP: 10.0.0.8}", undefined],
  [
    "an address that contradicts another one",
    "{clusterIP: 10.0.0.7, clusterIPs: [10.0.0.8]}",
    undefined,
  ],
  ["the address of another IP family", "{clusterIP: 10.0.0.7, ipFamilies: [IPv6]}", undefined],
  ["the address of an ExternalName", "{type: ExternalName, clusterIP: 10.0.0.7}", undefined],
  ["none", "{clusterIP: None}", undefined],
])("the dry-run of a Service omits %s", (_, spec, tried) => {
  const object = service(spec);
  expect(trialObject(object, live).spec).toEqual(parse(tried ?? spec));
});

test("omitted fields are shown as declared", () => {
  const object = service(
    "{type: NodePort, clusterIP: 10.0.0.7, ports: [{port: 80, nodePort: 30080}, {port: 82}]}",
  );
  const made = service(
    "{type: NodePort, clusterIP: 10.0.0.99, clusterIPs: [10.0.0.99], ports: [{port: 80, nodePort: 31000}, {port: 82, nodePort: 31001}]}",
  );
  expect(restoreConflictingResources(made, object, live).spec).toEqual(
    parse(
      "{type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ports: [{port: 80, nodePort: 30080}, {port: 82, nodePort: 31001}]}",
    ),
  );
});

test("the dry-run omits the health check port of a load balancer", () => {
  const spec = "{type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30090}";
  const object = service(spec);
  const trial = trialObject(object, object);
  expect(trial.spec).toEqual({ type: "LoadBalancer", externalTrafficPolicy: "Local" });
  expect(restoreConflictingResources(trial, object, object).spec).toEqual(object.spec);
  const cluster = service(spec.replace("Local", "Cluster"));
  expect(trialObject(cluster, object).spec).toEqual(cluster.spec);
});

test("the dry-run omits globalDefault of a PriorityClass", () => {
  const priority = (globalDefault: boolean): KubeObject => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "usual" },
    globalDefault,
  });
  const trial = trialObject(priority(true), priority(true));
  expect(trial.globalDefault).toBe(false);
  expect(restoreConflictingResources(trial, priority(true), priority(true)).globalDefault).toBe(
    true,
  );
  expect(trialObject(priority(true), priority(false)).globalDefault).toBe(true);
});
