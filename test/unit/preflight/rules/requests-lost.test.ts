import { expect, test } from "vitest";
import { parse } from "yaml";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { computeFindings } from "../../../../src/preflight/compute-findings.ts";
import { requestsLost } from "../../../../src/preflight/rules/requests-lost.ts";
import {
  findingText,
  hooked,
  inputOf,
  manifests,
  planOf,
  probed,
  reasonsText,
  type ServedWorkload,
} from "./served-workload.ts";

test("a Deployment without probe and hook has one finding with all lines", () => {
  expect(findingText({ container: "env: []" })).toBe(
    `warning: Deployment shop/web: its rollout might lose requests
  Service shop/web sends requests to its Pods. Container web has no readiness probe, so a new Pod gets requests as soon as it starts. Container web has no preStop hook, so an old Pod still gets requests for a moment after its signal to stop. Its image might answer them, which qvs can't see
  Add a readiness probe, if possible of an HTTP path, and add a preStop hook; see docs/deploy/zero-downtime.md. If the image answers requests after the signal, allow the finding: vs.axis-dev.io/allow: requests-lost
    spec:
      template:
        spec:
          containers:
            - name: web
              readinessProbe:
                tcpSocket:
                  port: http
              lifecycle:
                preStop:
                  sleep:
                    seconds: 5`,
  );
});

test("a preStop hook that is only missing is a note", () => {
  expect(findingText({ container: probed, pod: "terminationGracePeriodSeconds: 4" })).toBe(
    `note: Deployment shop/web: its rollout might lose requests
  Service shop/web sends requests to its Pods. Container web has no preStop hook, so an old Pod still gets requests for a moment after its signal to stop. Its image might answer them, which qvs can't see
  Add a preStop hook; see docs/deploy/zero-downtime.md. If the image answers requests after the signal, allow the finding: vs.axis-dev.io/allow: requests-lost
    spec:
      template:
        spec:
          terminationGracePeriodSeconds: 35
          containers:
            - name: web
              lifecycle:
                preStop:
                  sleep:
                    seconds: 5`,
  );
});

test("a hook that takes the whole grace period needs a longer one", () => {
  const container = `${probed}, lifecycle: {preStop: {exec: {command: [sh, -c, "sleep 20; nginx -s quit; sleep 0.5m"]}}}`;
  expect(findingText({ container, pod: "terminationGracePeriodSeconds: 50" })).toBe(
    `warning: Deployment shop/web: its rollout might lose requests
  Service shop/web sends requests to its Pods. The preStop hook of container web takes 50 s, and terminationGracePeriodSeconds is 50. After the hook, open requests have 2 s to end
  Set a longer grace period; see docs/deploy/zero-downtime.md
    spec:
      template:
        spec:
          terminationGracePeriodSeconds: 80`,
  );
});

test("a strategy without any Pod is fixed together with the other reasons", () => {
  expect(
    findingText({
      spec: "replicas: 2; strategy: {type: Recreate}",
      container: hooked,
      pod: "terminationGracePeriodSeconds: 0",
    }),
  ).toBe(
    `warning: Deployment shop/web: no Pod serves requests during its rollout
  Service shop/web sends requests to its Pods. The strategy Recreate ends all old Pods before it creates new ones. Container web has no readiness probe, so a new Pod gets requests as soon as it starts. terminationGracePeriodSeconds is 0, so old Pods are killed without a signal, and no preStop hook runs
  Let a new Pod start before an old one ends, and add a readiness probe, if possible of an HTTP path, and set a grace period; see docs/deploy/zero-downtime.md
    spec:
      strategy:
        type: RollingUpdate
        rollingUpdate:
          maxSurge: 1
          maxUnavailable: 0
      template:
        spec:
          terminationGracePeriodSeconds: 30
          containers:
            - name: web
              readinessProbe:
                tcpSocket:
                  port: http`,
  );
});

test("a gap that only other Pods close can be accepted", () => {
  const set = { kind: "StatefulSet", spec: "replicas: 1; serviceName: peers" } as const;
  expect(
    findingText({ ...set, container: "env: []", annotations: "{vs.axis-dev.io/allow: preempts}" }),
  ).toBe(`warning: StatefulSet shop/web: no Pod serves requests during its rollout
  Service shop/web sends requests to its Pods. Its only Pod ends before the new one is created
  Run at least two replicas if the application supports it; see docs/deploy/zero-downtime.md. Or accept the gap with this annotation
    metadata:
      annotations:
        vs.axis-dev.io/allow: preempts, requests-lost`);
  const claim = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]";
  expect(findingText({ spec: "strategy: {type: Recreate}", pod: claim })).toContain(
    "  Let old and new Pods run next to each other if their volumes and ports allow it",
  );
});

test("a UDP port gets no TCP probe", () => {
  const ports = "[{port: 53, protocol: UDP, targetPort: 53}]";
  expect(findingText({ container: hooked, ports })).not.toContain("spec:");
  expect(findingText({ container: hooked, ports })).toContain("Add a readiness probe");
});

const bare = { container: "env: []" };

test.each<[string, (all: string) => string]>([
  ["the workload is new", (all) => all.slice(all.indexOf("app/service"))],
  ["the Service is new", (all) => all.slice(0, all.indexOf("app/service"))],
  [
    "the Service selected other Pods",
    (all) => all.replace("selector: {app: web}", "selector: {app: x}"),
  ],
  ["the template stays", (all) => all.replace("web:1", "web:2")],
  ["there were no Pods", (all) => all.replace("replicas: 2", "replicas: 0")],
])("no request is lost if %s", (_, before) => {
  const plan = planOf(bare, before(manifests(bare, "web:1")));
  expect(requestsLost(inputOf(plan))).toEqual([]);
});

test.each<[string, ServedWorkload, string]>([
  ["no Pod stays", { spec: "replicas: 0" }, ""],
  ["the rollout is paused", { spec: "paused: true" }, ""],
  ["no Pod is ready now", { status: "{replicas: 2}" }, ""],
  [
    "one Pod is ready now",
    { status: "{replicas: 2, readyReplicas: 1}" },
    "warning: no probe, no hook",
  ],
  [
    "no Pod of a DaemonSet is ready now",
    { kind: "DaemonSet", spec: "", status: "{currentNumberScheduled: 3}" },
    "",
  ],
  ["the controller has written no status", { status: "{}" }, "warning: no probe, no hook"],
  [
    "Argo Rollouts rejects the object",
    { kind: "Rollout", spec: "strategy: {canary: {}, blueGreen: {}}" },
    "",
  ],
])("it depends on the Pods: %s", (_, facts, expected) => {
  expect(reasonsText({ ...facts, ...bare })).toBe(expected);
});

test("admission adds fields that the manifest lacks", () => {
  const pod = (spec: string): Partial<ClusterFacts> => ({
    samplePods: new Map([
      [
        "apps:Deployment::shop/web",
        {
          ok: true,
          value: parse(`{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: ${spec}}`),
        },
      ],
    ]),
  });
  const serving = "name: web, ports: [{name: http, containerPort: 8080}]";
  expect(reasonsText(bare, pod(`{containers: [{${serving}}]}`))).toBe("warning: no probe, no hook");
  expect(
    reasonsText(
      bare,
      pod(`{containers: [{${serving}, ${hooked}}], readinessGates: [{conditionType: lb}]}`),
    ),
  ).toBe("");
});

test.each<[string, ServedWorkload, string]>([
  ["the container without a probe", bare, "spec.template.spec.containers.0"],
  [
    "the hook",
    { container: `${probed}, lifecycle: {preStop: {sleep: {seconds: 30}}}` },
    "spec.template.spec.containers.0.lifecycle.preStop",
  ],
  [
    "the grace period",
    { pod: "terminationGracePeriodSeconds: 0" },
    "spec.template.spec.terminationGracePeriodSeconds",
  ],
  ["the strategy", { spec: "strategy: {type: Recreate}" }, "spec.strategy"],
  ["the number of replicas", { kind: "StatefulSet", spec: "replicas: 1" }, "spec.replicas"],
])("the finding names the field: %s", (_, facts, expected) => {
  const [finding] = requestsLost(inputOf(planOf(facts)));
  expect(finding?.path?.join(".")).toBe(expected);
});

test("an annotation allows the finding", () => {
  const facts = { ...bare, annotations: "{vs.axis-dev.io/allow: requests-lost}" };
  const [finding] = computeFindings(inputOf(planOf(facts))).filter(
    ({ code }) => code === "requests-lost",
  );
  expect(finding?.allowed).toEqual({ where: [] });
  expect(
    computeFindings(inputOf(planOf(bare))).find(({ code }) => code === "requests-lost")?.allowed,
  ).toBeUndefined();
});
