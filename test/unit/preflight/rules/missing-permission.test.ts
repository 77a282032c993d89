import { expect, test } from "vitest";
import type { ClusterFacts } from "../../../../src/preflight/cluster-facts.ts";
import { missingPermission } from "../../../../src/preflight/rules/missing-permission.ts";
import { refused } from "../../../support/fake-cluster.ts";
import { text } from "../../../support/plan/declare.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText, forbidden } from "./run-rule.ts";

test("missing permissions are reported as a note, once per namespace", () => {
  const facts: Partial<ClusterFacts> = {
    samplePods: new Map([
      ["a", refused("forbidden", 403, forbidden("create", "pods"))],
      ["b", refused("forbidden", 403, forbidden("create", "pods"))],
    ]),
    quotas: new Map([["shop", { known: false, why: forbidden("list", "resourcequotas") }]]),
    dependencies: new Map([["x", { known: false, why: forbidden("get", "configmaps") }]]),
  };
  expect(findingsText(missingPermission, requirePlan({ declared: "" }), facts)).toBe(
    text(`
    note: This identity lacks permissions in namespace shop for some checks
      It isn't allowed to create pods, get configmaps, list resourcequotas. qvs can't check whether quotas are large enough, whether the API server accepts the Pods, whether the objects exist that Pods name
    `),
  );
});
