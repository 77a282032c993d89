import { expect, test } from "vitest";
import { kindsWithoutObjectsProblems } from "../../../src/sources/compile-deployment.ts";
import { describeProblem } from "../../support/describe-problem.ts";
import { shopCompilation } from "../../support/shop/shop-report.ts";

function check(apiVersion: string, kind: string): string {
  const object = { apiVersion, kind, metadata: { name: "a" } };
  const where = { file: "k8s/a.yaml", line: 1, column: 1 };
  const resource = {
    type: "manifest",
    stage: "app",
    id: "a",
    object,
    where,
    dependsOn: [],
  } as const;
  const compilation = { ...shopCompilation("1", "2", "3"), resources: [resource] };
  return kindsWithoutObjectsProblems(compilation).map(describeProblem).join("\n");
}

test.each([
  ["autoscaling/v1", "Scale"],
  ["apps/v1", "Scale"],
  ["policy/v1", "Eviction"],
  ["v1", "Binding"],
  ["v1", "PodExecOptions"],
  ["authentication.k8s.io/v1", "TokenRequest"],
  ["authorization.k8s.io/v1", "SubjectAccessReview"],
])("%s/%s is rejected", (apiVersion, kind) => {
  expect(check(apiVersion, kind)).toContain(`Resource app/a is a ${kind}, which can't be deployed`);
});

test.each([
  ["v1", "PodTemplate"],
  ["example.com/v1", "Scale"],
  ["servicebinding.io/v1", "Binding"],
  ["rbac.authorization.k8s.io/v1", "RoleBinding"],
  ["policy/v1", "PodDisruptionBudget"],
])("%s/%s can be deployed", (apiVersion, kind) => expect(check(apiVersion, kind)).toBe(""));

test("the fix of a Scale names the field of the workload", () => {
  expect(
    check("autoscaling/v1", "Scale"),
  ).toBe(`k8s/a.yaml:1:1: Resource app/a is a Scale, which can't be deployed
  kind: autoscaling/v1/Scale
  why: The API server answers requests of this kind, and stores no object
  → Remove the manifest, and set spec.replicas of the workload`);
});
