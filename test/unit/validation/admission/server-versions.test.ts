import { expect, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import {
  rejectionMessage,
  toNewPod,
} from "../../../../src/validation/admission/admission-subject.ts";

/** Returns the message of a server of Kubernetes 1.`minor` about a Pod in a new namespace. */
function answerOf(minor: number, spec: string, ...policies: readonly KubeObject[]): string {
  const template = { spec: parse(spec) as JsonObject };
  const pod = toNewPod(template, undefined, { major: 1, minor });
  return rejectionMessage(policies, { ...pod, hasAllDefaults: true }) ?? "accepted";
}

function enforcing(level: string, version?: string): KubeObject {
  const label = "pod-security.kubernetes.io/enforce";
  const labels = { [label]: level, ...(version && { [`${label}-version`]: version }) };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } };
}

function object(kind: string, spec: string): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "bounds" }, spec: parse(spec) };
}

const accepted = "accepted";
const probed = "{containers: [{name: web, livenessProbe: {httpGet: {host: 10.0.0.1}}}]}";
const hardened =
  "{allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}, seccompProfile: {type: RuntimeDefault}}";
const inUserNamespace = `{hostUsers: false, containers: [{name: web, securityContext: ${hardened}}]}`;
const sysctl = "{securityContext: {sysctls: [{name: net.ipv4.tcp_notsent_lowat}]}, containers: []}";
const probedHost =
  'violates PodSecurity "baseline:latest": probe or lifecycle host (container "web" uses probe or lifecycle host "10.0.0.1")';
const rootUser =
  'violates PodSecurity "restricted:latest": runAsNonRoot != true (pod or container "web" must set securityContext.runAsNonRoot=true)';
const forbiddenSysctl = (version: string) =>
  `violates PodSecurity "baseline:${version}": forbidden sysctls (net.ipv4.tcp_notsent_lowat)`;

test.each([
  [32, "a host in a probe", probed, enforcing("baseline"), accepted],
  [33, "a host in a probe", probed, enforcing("baseline"), accepted],
  [34, "a host in a probe", probed, enforcing("baseline"), probedHost],
  [34, "a user namespace without runAsNonRoot", inUserNamespace, enforcing("restricted"), rootUser],
  [35, "a user namespace without runAsNonRoot", inUserNamespace, enforcing("restricted"), accepted],
  [36, "a sysctl", sysctl, enforcing("baseline"), forbiddenSysctl("latest")],
  [37, "a sysctl", sysctl, enforcing("baseline"), accepted],
  [38, "a sysctl", sysctl, enforcing("baseline"), accepted],
  [37, "a sysctl", sysctl, enforcing("baseline", "v1.36"), forbiddenSysctl("v1.36")],
])(
  "Kubernetes 1.%s judges %s by the standard it knows: %#",
  (minor, _, spec, namespace, answer) => {
    expect(answerOf(minor, spec, namespace)).toBe(answer);
  },
);

test("a standard that is newer than the server is judged as the newest that it knows", () => {
  expect(answerOf(32, probed, enforcing("baseline", "v1.34"))).toBe(accepted);
  expect(answerOf(36, sysctl, enforcing("baseline", "v1.37"))).toBe(forbiddenSysctl("v1.37"));
});

const quota = object("ResourceQuota", "{hard: {requests.cpu: 2}}");
const wholePod = (cpu: string) =>
  `{resources: {requests: {cpu: ${cpu}}}, containers: [{name: web}]}`;

test.each([
  [33, "failed quota: bounds: must specify requests.cpu for: web"],
  [34, accepted],
])("Kubernetes 1.%s counts the resources of a whole Pod if it keeps them", (minor, answer) => {
  expect(answerOf(minor, wholePod("1"), quota)).toBe(answer);
});

const defaults = object(
  "LimitRange",
  "{limits: [{type: Container, defaultRequest: {memory: 20Mi}}]}",
);
const limitedPod =
  "{resources: {limits: {memory: 64Mi}}, containers: [{name: a, resources: {requests: {memory: 32Mi}}}, {name: b}]}";

test.each([
  [
    36,
    'spec.resources.requests[memory]: Invalid value: "32Mi": must be greater than or equal to aggregate container requests of 52Mi',
  ],
  [37, accepted],
])("Kubernetes 1.%s fills in the request of a whole Pod at its own time", (minor, answer) => {
  expect(answerOf(minor, limitedPod, defaults)).toBe(answer);
});

const fullyLimited =
  "{resources: {requests: {memory: 16Mi}}, containers: [{name: a, resources: {limits: {memory: 32Mi}, requests: {memory: 8Mi}}}]}";
const smallest = object("LimitRange", "{limits: [{type: Pod, max: {memory: 24Mi}}]}");

test("only resources that the Pod sets are filled in from its containers until 1.36", () => {
  const onlyCpu =
    "{resources: {requests: {cpu: 1}}, containers: [{name: a, resources: {requests: {memory: 32Mi}}}, {name: b}]}";
  expect(answerOf(36, onlyCpu, defaults)).toBe(accepted);
  expect(answerOf(37, onlyCpu, defaults)).toBe(accepted);
  expect(answerOf(37, fullyLimited, smallest)).toBe(
    "maximum memory usage per Pod is 24Mi, but limit is 32Mi",
  );
});
