import { expect, test } from "vitest";
import { parse } from "yaml";
import { progressState } from "../../../../src/apply/readiness/stall.ts";

const state = (status: string, metadata = "{name: web, generation: 1}") =>
  progressState({ apiVersion: "v1", kind: "X", metadata: parse(metadata), status: parse(status) });

test.each([
  ["a count", "{readyReplicas: 1}", "{readyReplicas: 2}"],
  ["a phase", "{phase: Pending}", "{phase: Running}"],
  [
    "the status of a condition",
    "{conditions: [{type: Ready, status: 'False'}]}",
    "{conditions: [{type: Ready, status: 'True'}]}",
  ],
  [
    "the reason of a condition",
    "{conditions: [{type: Ready, reason: A}]}",
    "{conditions: [{type: Ready, reason: B}]}",
  ],
  ["a new part", "{}", "{loadBalancer: {ingress: [{ip: 1.2.3.4}]}}"],
])("%s is progress", (_name, before, after) => {
  expect(state(before)).not.toBe(state(after));
});

test("a new generation is progress", () => {
  expect(state("{}")).not.toBe(state("{}", "{name: web, generation: 2}"));
});

test.each([
  [
    "the times and the message of a condition",
    "{conditions: [{type: Ready, message: 1 s, lastTransitionTime: '2026-01-01T00:00:00Z', lastHeartbeatTime: a}]}",
    "{conditions: [{type: Ready, message: 2 s, lastTransitionTime: '2026-01-01T00:00:01Z', lastHeartbeatTime: b}]}",
  ],
  [
    "a time under any name",
    "{refreshed: '2026-01-01T00:00:00Z'}",
    "{refreshed: '2026-01-02T00:00:00Z'}",
  ],
  ["a count of failures", "{failed: 1, restartCount: 3}", "{failed: 2, restartCount: 4}"],
  [
    "the Pods that a Job hasn't counted",
    "{uncountedTerminatedPods: {failed: [a]}}",
    "{uncountedTerminatedPods: {failed: [b]}}",
  ],
])("%s isn't progress", (_name, before, after) => {
  expect(state(before)).toBe(state(after));
});

test("the version of the object isn't progress", () => {
  const version = (text: string) => `{name: web, generation: 1, resourceVersion: "${text}"}`;
  expect(state("{}", version("1"))).toBe(state("{}", version("2")));
});
