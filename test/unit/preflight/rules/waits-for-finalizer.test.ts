import { expect, test } from "vitest";
import { waitsForFinalizer } from "../../../../src/preflight/rules/waits-for-finalizer.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText } from "./run-rule.ts";

const note = (finalizers: string) =>
  "note: the deletion of ConfigMap shop/settings waits for another controller\n" +
  `  The API server deletes it after that controller has removed ${finalizers} from metadata.finalizers. ` +
  "Until then the deployment waits, and it fails at the timeout";

test.each([
  [["example.com/cleanup"], note("example.com/cleanup")],
  [["example.com/a", "foregroundDeletion", "b.example/c"], note("example.com/a, b.example/c")],
  [["kubernetes.io/pvc-protection", "foregroundDeletion", "orphan"], ""],
  [[], ""],
])("a deleted object with the finalizers %j", (finalizers, expected) => {
  const before = "app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}";
  const plan = requirePlan({ before, declared: "", allowDelete: ["everything"] });
  const deletions = plan.deletions.map((each) => ({
    ...each,
    live: { ...each.live, metadata: { ...(each.live.metadata as object), finalizers } },
  }));
  expect(findingsText(waitsForFinalizer, { ...plan, deletions }, {})).toBe(expected);
});

test("an object with a finalizer that stays", () => {
  const declared = "app/settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}";
  const plan = requirePlan({ before: declared, declared });
  const changes = plan.changes.map((each) => ({
    ...each,
    live: { ...each.desired, metadata: { name: "settings", finalizers: ["example.com/cleanup"] } },
  }));
  expect(findingsText(waitsForFinalizer, { ...plan, changes }, {})).toBe("");
});
