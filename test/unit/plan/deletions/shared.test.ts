import { expect, test } from "vitest";
import { replaceAnnotation } from "../../../../src/model/annotations.ts";
import { isList, type Json } from "../../../../src/model/json.ts";
import type { KubeObject } from "../../../../src/model/object.ts";
import { ownershipProblems } from "../../../../src/plan/ownership/ownership.ts";
import { sharedProtection } from "../../../../src/ssa/protection.ts";
import { text } from "../../../support/plan/declare.ts";
import { appliedFrom } from "../../../support/plan/live.ts";
import { planOf, planText, rulesOf } from "../../../support/plan/plan-text.ts";

const config = (name: string) =>
  `app/${name}: {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, annotations: {${replaceAnnotation}: "true"}}, data: {x: text}}\n`;

/** Returns the same objects, which another tool applies too. */
function sharedFrom(manifests: string): ReadonlyMap<string, KubeObject> {
  const theirs: Json = {
    ...{ manager: "argocd-controller", operation: "Apply", apiVersion: "v1" },
    fieldsV1: { "f:data": { "f:theirs": {} } },
  };
  return new Map(
    [...appliedFrom(manifests)].map(([key, object]) => {
      const { managedFields } = object.metadata;
      const all = [...(isList(managedFields) ? managedFields : []), theirs];
      return [key, { ...object, metadata: { ...object.metadata, managedFields: all } }];
    }),
  );
}

test.each([
  ["a deployment", {}],
  ["a rollback", { goesBack: true }],
  ["the deletion of the deployment", { deletes: true }],
] as const)("an object that another manager also applies is kept by %s", (_, more) => {
  const before = config("shared") + config("own");
  const declared = "deletes" in more ? "{}" : config("own");
  const plan = planOf({ before, declared, live: sharedFrom(config("shared")), ...more });
  const kept = planText(plan)
    .split("\n")
    .filter((line) => line.startsWith("keep"));
  expect(kept.join("\n")).toBe(
    text("keep ConfigMap shop/shared (not ours: argocd-controller also applies it)"),
  );
});

test("an object that another manager also applies isn't recreated", () => {
  const [live] = [...sharedFrom(config("shared")).values()];
  const plan = planOf({ before: config("shared"), declared: config("shared") });
  const [change] = plan.ok ? plan.value.changes : [];
  if (change === undefined || live === undefined) throw new Error("there is no change");
  expect(sharedProtection(live)).toBeDefined();
  const problems = ownershipProblems({ ...change, live, action: "replace" }, rulesOf());
  expect(problems.map(({ what }) => what)).toEqual(["ConfigMap shop/shared can't be recreated"]);
});

test.each([
  ["helm.sh/resource-policy: keep", "helm.sh/resource-policy"],
  [
    "argocd.argoproj.io/sync-options: 'Validate=false, Prune=false'",
    "argocd.argoproj.io/sync-options",
  ],
  ["argocd.argoproj.io/sync-options: Delete=false", "argocd.argoproj.io/sync-options"],
  ["kustomize.toolkit.fluxcd.io/prune: Disabled", "kustomize.toolkit.fluxcd.io/prune"],
  ["kapp.k14s.io/delete-strategy: orphan", "kapp.k14s.io/delete-strategy"],
  ["argocd.argoproj.io/sync-options: Replace=true", undefined],
])("an object with %s that is no longer declared", (annotation, name) => {
  const before = `app/it: {apiVersion: v1, kind: ConfigMap, metadata: {name: it, annotations: {${annotation}}}}\n`;
  const plan = planOf({ before: before + config("own"), declared: config("own") });
  expect(planText(plan)).toContain(
    name === undefined
      ? "delete ConfigMap shop/it"
      : `keep ConfigMap shop/it (not ours: its annotation ${name} keeps it)`,
  );
});
