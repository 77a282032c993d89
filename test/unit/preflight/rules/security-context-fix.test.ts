import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../../src/model/object.ts";
import { securityContextFix } from "../../../../src/preflight/rules/security-context-fix.ts";

const refusal = (standard: string) => ({
  ...({ reason: "forbidden", status: 403, causes: [] } as const),
  message: `pods "web-x7k2p" is forbidden: violates PodSecurity "${standard}": …`,
});

function deployment(pod: string): KubeObject {
  return parse(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: ${pod}}}`) as KubeObject;
}

function fixFor(pod: string, standard = "restricted:latest"): string {
  return securityContextFix(refusal(standard), deployment(pod), undefined)?.join("\n") ?? "";
}

test("the fix sets the missing fields of the Pod Security Standard", () => {
  expect(
    fixFor(`{
      securityContext: {runAsNonRoot: true},
      initContainers: [{name: first, securityContext: {allowPrivilegeEscalation: false}}],
      containers: [
        {name: done, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}},
        {name: web}]}`),
  ).toBe(`spec:
  template:
    spec:
      securityContext: {seccompProfile: {type: RuntimeDefault}}
      initContainers:
        - name: first
          securityContext: {capabilities: {drop: [ALL]}}
      containers:
        - name: web
          securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}`);
});

test.each([
  [
    "fields that the standard requires and the API forbids",
    "{hostNetwork: true, containers: [{name: web}]}",
  ],
  [
    "fields that the manifest sets explicitly",
    "{containers: [{name: web, securityContext: {privileged: true}}]}",
  ],
  ["an invalid name", '{containers: [{name: "a: b"}]}'],
])("there is no fix for %s", (_, pod) => {
  expect(fixFor(pod)).toBe("");
});

test("a rejection of another kind has no such fix", () => {
  expect(fixFor("{containers: [{name: web}]}", "")).toBe("");
});
