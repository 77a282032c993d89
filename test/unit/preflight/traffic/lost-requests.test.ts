import { expect, test } from "vitest";
import { hooked, probed, reasonsText, type ServedWorkload } from "../rules/served-workload.ts";

test.each<[string, ServedWorkload, string]>([
  ["with probe and hook", {}, ""],
  ["with a startup probe", { container: `startupProbe: {tcpSocket: {port: http}}, ${hooked}` }, ""],
  [
    "with a postStart hook",
    {
      container: `lifecycle: {postStart: {exec: {command: [wait]}}, preStop: {exec: {command: [drain]}}}`,
    },
    "",
  ],
  [
    "with a readiness gate",
    { container: hooked, pod: "readinessGates: [{conditionType: lb}]" },
    "",
  ],
  [
    "with only a liveness probe",
    { container: `livenessProbe: {}, ${hooked}` },
    "warning: no probe",
  ],
  [
    "with a hook of no time",
    { container: `${probed}, lifecycle: {preStop: {sleep: {seconds: 0}}}` },
    "note: no hook",
  ],
  [
    "with a hook of unknown time",
    { container: `${probed}, lifecycle: {preStop: {httpGet: {port: http}}}` },
    "",
  ],
  ["that drains by an argument", { container: `${probed}, args: ["--shutdown-delay=10s"]` }, ""],
  [
    "that drains by a variable",
    { container: `${probed}, env: [{name: APP_DRAIN_SECONDS, value: "9"}]` },
    "",
  ],
  [
    "that traps its signal",
    { container: `${probed}, command: [sh, -c, "trap 'sleep 9' TERM; serve"]` },
    "",
  ],
  ["with other arguments", { container: `${probed}, args: ["--port=80"]` }, "note: no hook"],
  [
    "whose hook equals the default grace period",
    { container: `${probed}, lifecycle: {preStop: {sleep: {seconds: 30}}}` },
    "warning: long hook",
  ],
  [
    "whose hook is just shorter",
    { container: `${probed}, lifecycle: {preStop: {exec: {command: [/bin/sleep, "29"]}}}` },
    "",
  ],
  [
    "with a grace period of 0 and no hook",
    { container: probed, pod: "terminationGracePeriodSeconds: 0" },
    "warning: killed",
  ],
])("a Deployment %s", (_, facts, expected) => {
  expect(reasonsText(facts)).toBe(expected);
});

test.each<[string, ServedWorkload, string]>([
  ["Deployment", { spec: "replicas: 1" }, ""],
  [
    "Deployment",
    { spec: "replicas: 1; strategy: {rollingUpdate: {maxUnavailable: 1}}" },
    "warning: none serves",
  ],
  [
    "Deployment",
    { spec: "replicas: 3; strategy: {rollingUpdate: {maxUnavailable: 100%}}" },
    "warning: none serves",
  ],
  ["Deployment", { spec: "replicas: 3; strategy: {rollingUpdate: {maxUnavailable: 99%}}" }, ""],
  [
    "Deployment",
    { spec: "replicas: 1; strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 25%}}" },
    "warning: none serves",
  ],
  [
    "Deployment",
    {
      spec: "replicas: 1; strategy: {type: Recreate}",
      pod: "hostNetwork: true",
      container: "env: []",
    },
    "warning: none serves",
  ],
  ["StatefulSet", { kind: "StatefulSet", spec: "replicas: 2; serviceName: web-peers" }, ""],
  [
    "StatefulSet",
    {
      kind: "StatefulSet",
      spec: "replicas: 3; serviceName: web-peers; updateStrategy: {rollingUpdate: {maxUnavailable: 3}}",
    },
    "warning: none serves",
  ],
  [
    "StatefulSet",
    { kind: "StatefulSet", spec: "replicas: 1; updateStrategy: {type: OnDelete}" },
    "",
  ],
  [
    "StatefulSet",
    {
      kind: "StatefulSet",
      spec: "replicas: 3; updateStrategy: {rollingUpdate: {partition: 3}}",
      container: "env: []",
    },
    "",
  ],
  [
    "StatefulSet",
    {
      kind: "StatefulSet",
      spec: "replicas: 3; updateStrategy: {rollingUpdate: {partition: 2}}",
      container: probed,
    },
    "note: no hook",
  ],
  [
    "DaemonSet",
    {
      kind: "DaemonSet",
      spec: "",
      status: "{desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1}",
    },
    "warning: none serves",
  ],
  [
    "DaemonSet",
    {
      kind: "DaemonSet",
      spec: "",
      status: "{desiredNumberScheduled: 2, currentNumberScheduled: 2, numberReady: 2}",
    },
    "",
  ],
  [
    "DaemonSet",
    {
      kind: "DaemonSet",
      spec: "updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
      status: "{desiredNumberScheduled: 1, currentNumberScheduled: 1, numberReady: 1}",
    },
    "",
  ],
  [
    "DaemonSet",
    { kind: "DaemonSet", spec: "", container: "env: []" },
    "warning: no probe, no hook",
  ],
  [
    "Rollout",
    { kind: "Rollout", spec: "replicas: 1; strategy: {canary: {maxSurge: 0, maxUnavailable: 1}}" },
    "warning: none serves",
  ],
  [
    "Rollout",
    { kind: "Rollout", spec: "replicas: 2; strategy: {canary: {}}", container: probed },
    "note: no hook",
  ],
  [
    "Rollout",
    {
      kind: "Rollout",
      spec: "replicas: 2; strategy: {canary: {maxUnavailable: 2, trafficRouting: {nginx: {}}}}",
      container: probed,
    },
    "",
  ],
  [
    "Rollout",
    {
      kind: "Rollout",
      spec: "replicas: 2; strategy: {blueGreen: {activeService: web}}",
      container: probed,
    },
    "",
  ],
  [
    "Rollout",
    {
      kind: "Rollout",
      spec: "replicas: 2; strategy: {blueGreen: {activeService: web, scaleDownDelaySeconds: 0}}",
      container: probed,
    },
    "note: no hook",
  ],
  [
    "Rollout",
    {
      kind: "Rollout",
      spec: "replicas: 2; strategy: {blueGreen: {activeService: web}}",
      service: "selector: {app: web, rollouts-pod-template-hash: abc}",
      container: hooked,
    },
    "warning: no probe",
  ],
  [
    "Job",
    {
      kind: "Job",
      spec: "",
      container: "env: []",
      annotations: '{vs.axis-dev.io/replace: "true"}',
    },
    "",
  ],
])("the strategy of a %s: %o", (_, facts, expected) => {
  expect(reasonsText(facts)).toBe(expected);
});

const proxy = `name: proxy, image: "p:1", ports: [{name: https, containerPort: 8443}]`;
const toProxy = "[{port: 443, targetPort: https}]";
const native = (more: string) => `], initContainers: [{${proxy}, restartPolicy: Always, ${more}}`;

test.each<[string, ServedWorkload, string]>([
  [
    "another container serves the port",
    { ports: toProxy, sidecars: `, {${proxy}}` },
    "warning: no probe, no hook",
  ],
  ["only the other container lacks both", { sidecars: `, {${proxy}}` }, ""],
  [
    "a number that no container declares, and one container has both",
    { ports: "[{port: 9000}]", sidecars: `, {${proxy}}` },
    "",
  ],
  [
    "a number that no container declares, and no container has both",
    { ports: "[{port: 9000}]", container: "env: []", sidecars: `, {${proxy}}` },
    "warning: no probe, no hook",
  ],
  [
    "a native sidecar serves the port, and the container before it waits",
    { ports: toProxy, sidecars: native(probed) },
    "",
  ],
  [
    "a native sidecar serves the port, and nothing waits",
    { ports: toProxy, container: probed, sidecars: native(probed) },
    "note: no hook",
  ],
  [
    "an init container that ends can't serve a port",
    { ports: toProxy, sidecars: `], initContainers: [{${proxy}}` },
    "",
  ],
])("several containers: %s", (_, facts, expected) => {
  expect(reasonsText(facts)).toBe(expected);
});
