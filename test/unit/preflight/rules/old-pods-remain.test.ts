import { expect, test } from "vitest";
import { oldPodsRemain } from "../../../../src/preflight/rules/old-pods-remain.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { counting, findingsText } from "./run-rule.ts";

test.each([
  ["apps/v1", "ReplicaSet", "replicas: 2", "web:2", true],
  ["v1", "ReplicationController", "replicas: 2", "web:2", true],
  ["apps/v1", "ReplicaSet", "minReadySeconds: 5", "web:1", false],
  ["apps/v1", "ReplicaSet", "replicas: 0", "web:2", false],
  ["apps/v1", "Deployment", "replicas: 2", "web:2", false],
])(
  "a %s %s with %s and the image %s keeps its old Pods: %s",
  (version, kind, more, image, stay) => {
    const before = counting(version, kind, more.replace("minReadySeconds", "replicas"), "web:1");
    const plan = requirePlan({ before, declared: counting(version, kind, more, image) });
    expect(findingsText(oldPodsRemain, plan, {})).toBe(
      stay
        ? `warning: ${kind} shop/web: its running Pods keep the old template
  A ${kind} doesn't replace Pods: only Pods that it creates later get the new template. The deployment doesn't wait for new Pods`
        : "",
    );
  },
);
