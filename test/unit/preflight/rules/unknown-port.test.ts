import { expect, test } from "vitest";
import { unknownPort } from "../../../../src/preflight/rules/unknown-port.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText, withPods } from "./run-rule.ts";

test.each([
  ["has the name", "ports: [{name: http, containerPort: 80}]", "http", ""],
  [
    "has another name",
    "ports: [{name: web, containerPort: 80}]",
    "http",
    'error: Deployment shop/web: readinessProbe of container web refers to missing port "http"\n  Its Pods never become ready. Named ports of the container: web',
  ],
  ["is probed by its number", "ports: [{name: web, containerPort: 80}]", "80", ""],
  [
    "of another container has the name",
    "ports: []}, {name: beside, image: 'a:1', ports: [{name: http, containerPort: 80}]",
    "http",
    'error: Deployment shop/web: readinessProbe of container web refers to missing port "http"\n  Its Pods never become ready. Named ports of the container: none',
  ],
])("a probe names a port: one %s", (_, ports, port, expected) => {
  const container = `{name: web, image: "web:1", readinessProbe: {httpGet: {port: ${port}}}, ${ports}}`;
  const plan = requirePlan({ declared: withPods(`containers: [${container}]`) });
  expect(findingsText(unknownPort, plan, {})).toBe(expected);
});

test("startup probes, liveness probes, hooks and init containers name ports too", () => {
  const asks = (path: string) => path.replace("PORT", "{tcpSocket: {port: http}}");
  const each = [
    asks("startupProbe: PORT"),
    asks("livenessProbe: PORT"),
    asks("lifecycle: {postStart: PORT}"),
    asks("lifecycle: {preStop: PORT}"),
  ].map((prober, index) => `{name: c${index}, image: "web:1", ${prober}}`);
  const init = '{name: before, image: "a:1", readinessProbe: {httpGet: {port: http}}}';
  const sidecar =
    '{name: beside, image: "a:1", restartPolicy: Always, startupProbe: {httpGet: {port: http}}}';
  const declared = withPods(`initContainers: [${init}, ${sidecar}], containers: [${each}]`);
  const findings = findingsText(unknownPort, requirePlan({ declared }), {});
  const parts = [...findings.matchAll(/(\S+) of container (\S+) .*\n {2}([^.]*)\./g)];
  expect(parts.map(([, ...part]) => part.join(" "))).toEqual([
    "startupProbe beside Its Pods never become ready",
    "startupProbe c0 Its Pods never become ready",
    "livenessProbe c1 The probe never runs",
    "lifecycle.postStart c2 The container is killed after each start",
  ]);
});

test.each([
  ["has the name", "http", "{app: web}", ""],
  [
    "has another name",
    "web",
    "{app: web}",
    `warning: Service shop/web: port 80 refers to missing target port "http"\n  Requests to this port don't reach the Pods. Named ports of Deployment shop/web: web`,
  ],
  ["of another workload has another name", "web", "{app: other}", ""],
])("a Service targets a port: one %s", (_, name, selector, expected) => {
  const pods = withPods(
    `containers: [{name: web, image: "web:1", ports: [{name: ${name}, containerPort: 80}]}]`,
  );
  const service = `app/it: {apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: ${selector}, ports: [{port: 80, targetPort: http}]}}`;
  expect(findingsText(unknownPort, requirePlan({ declared: `${pods}\n${service}` }), {})).toBe(
    expected,
  );
});
