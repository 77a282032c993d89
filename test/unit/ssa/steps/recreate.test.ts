import { expect, test } from "vitest";
import { parse } from "yaml";
import type { ApiFailure } from "../../../../src/model/cluster/api/api-failure.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { quotaFreeReason } from "../../../../src/ssa/steps/recreate.ts";

const service = (spec: string): KubeObject =>
  parse(`{apiVersion: v1, kind: Service, metadata: {name: web}, spec: ${spec}}`);
const live = service(
  "{type: NodePort, clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, ports: [{port: 80, nodePort: 30080}, {port: 81, nodePort: 30081}]}",
);

const pod = (spec: string, phase = "Running"): KubeObject =>
  parse(
    `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: ${spec}, status: {phase: ${phase}}}`,
  );
const job: KubeObject = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "m" } };
const cpu = "{containers: [{name: a, resources: {requests: {cpu: 1}}}]}";
const room = "ResourceQuota q has no room for it until the old object is deleted";

test.each<[string, KubeObject, KubeObject, string, string, string | undefined]>([
  ["a Job, if one is counted", job, job, "count/jobs.batch=1", "count/jobs.batch=1", room],
  [
    "a Job, if too many are counted already",
    job,
    job,
    "count/jobs.batch=2",
    "count/jobs.batch=1",
    undefined,
  ],
  [
    "a Service with as many ports",
    live,
    live,
    "services=1,services.nodeports=2",
    "services=1,services.nodeports=2",
    room,
  ],
  [
    "a Service with more ports on nodes",
    service("{type: NodePort, ports: [{port: 80}, {port: 81}, {port: 82}]}"),
    live,
    "services=1",
    "services=1",
    undefined,
  ],
  [
    "a new load balancer",
    service("{type: LoadBalancer}"),
    live,
    "services=1",
    "services=1",
    undefined,
  ],
  [
    "a Pod that asks for the same",
    pod(cpu),
    pod(cpu),
    "pods=1,requests.cpu=1",
    "pods=1,requests.cpu=1",
    room,
  ],
  [
    "a Pod that asks for more",
    pod(cpu.replace("1}", "2}")),
    pod(cpu),
    "pods=1",
    "pods=1",
    undefined,
  ],
  ["a completed Pod", pod(cpu), pod(cpu, "Succeeded"), "pods=1", "pods=1", undefined],
  [
    "a Pod of another scope",
    pod(cpu.replace("{", "{activeDeadlineSeconds: 9, ")),
    pod(cpu),
    "pods=1",
    "pods=1",
    undefined,
  ],
])(
  "the dry-run exceeds the quota of the deleted object: %s",
  (_, object, old, used, limited, expected) => {
    const message = `x "a-qvs-preview" is forbidden: exceeded quota: q, requested: ${used.replaceAll(/=\d/g, "=1")}, used: ${used}, limited: ${limited}`;
    const failure: ApiFailure = { reason: "forbidden", status: 403, message, causes: [] };
    expect(quotaFreeReason(failure, object, old)).toBe(expected);
  },
);

test("any other rejection stays a rejection", () => {
  const failure = {
    reason: "invalid",
    status: 422,
    message: "only one, named default",
    causes: [],
  } as const;
  expect(quotaFreeReason(failure, job, job)).toBe(undefined);
});
