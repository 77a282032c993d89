import { expect, test } from "vitest";
import { manyDeletions } from "../../../../src/preflight/rules/many-deletions.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText, namersFrom } from "./run-rule.ts";

const configMap = (name: string) =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}\n`;
const before = ["a", "b", "c", "d", "e", "f"].map(configMap).join("");
const plan = requirePlan({
  before,
  declared: configMap("new").replace("ConfigMap", "ServiceAccount"),
});

test("a plan that deletes more than half of its objects is reported", () => {
  expect(findingsText(manyDeletions, plan, {})).toBe(
    "warning: ConfigMap shop/a and 5 more objects are deleted\n" +
      "  This deployment has 6 objects in the cluster, and 6 of 6 is more than half",
  );
});

test("an object that Pods still use doesn't count as deleted", () => {
  const user = (...names: readonly string[]) =>
    namersFrom(
      `[{apiVersion: v1, kind: Pod, metadata: {name: theirs, namespace: shop, uid: u}, spec: {containers: [{envFrom: [${names.map((name) => `{configMapRef: {name: ${name}}}`).join(", ")}]}]}}]`,
    );
  expect(findingsText(manyDeletions, plan, user("a"))).toBe("");
});
