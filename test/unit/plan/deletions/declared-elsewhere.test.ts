import { expect, test } from "vitest";
import { parse } from "yaml";
import type { OtherDeclarations } from "../../../../src/model/deployments/other-deployments.ts";
import { planOf, planText, requirePlan } from "../../../support/plan/plan-text.ts";

const moved = (more = "") =>
  `app/it: {apiVersion: v1, kind: ConfigMap, metadata: {name: it${more}}}\n`;
const stays = "app/own: {apiVersion: v1, kind: ConfigMap, metadata: {name: own}}\n";

function other(metadata: string, namespace = "shop"): OtherDeclarations {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: parse(metadata) };
  return { deployment: "part", namespace, objects: [object] };
}

const uncompiled: OtherDeclarations = {
  ...{ deployment: "broken", namespace: "shop" },
  objects: undefined,
};

const kept = "keep ConfigMap shop/it (declared elsewhere: the deployment part declares it)";
const deleted = "delete ConfigMap shop/it";

test.each([
  ["declares it", [other("{name: it}")], kept],
  ["declares it with its namespace", [other("{name: it, namespace: shop}", "other")], kept],
  ["declares it in another namespace", [other("{name: it}", "other")], deleted],
  ["declares another object", [other("{name: that}")], deleted],
  [
    "doesn't compile",
    [uncompiled],
    "keep ConfigMap shop/it (declared elsewhere: the deployment broken doesn't compile and might declare it)",
  ],
])("an object that leaves the config stays if another deployment %s: %#", (_, elsewhere, text) => {
  const plan = planOf({ before: moved() + stays, declared: stays, elsewhere });
  expect(planText(plan)).toContain(text);
});

test("old revisions of a key that another deployment declares aren't pruned", () => {
  const keyed = moved(", annotations: {vs.axis-dev.io/keepOnDelete: k}");
  const situation = { before: keyed + stays, declared: stays, keepRevisions: 0 };
  const pruned = (elsewhere: readonly OtherDeclarations[]) =>
    requirePlan({ ...situation, elsewhere }).deletions.length;
  expect(pruned([])).toBe(1);
  expect(pruned([other("{name: it}")])).toBe(0);
});

test("the notice contains the command that hands the object over", () => {
  const elsewhere = [other("{name: it}")];
  const { notices } = requirePlan({ before: moved() + stays, declared: stays, elsewhere });
  expect(notices.map(({ code, fix }) => `${code}: ${fix}`)).toEqual([
    "kept-object: Hand it over, then run again: kubectl label configmap it -n shop vs.axis-dev.io/deployment-",
  ]);
});
