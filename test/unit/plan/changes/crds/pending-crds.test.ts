import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../../../src/model/object.ts";
import {
  addOwnerMigration,
  storedObject,
} from "../../../../../src/plan/changes/crds/pending-crds.ts";
import { customTypes } from "../../../../../src/validation/custom-types.ts";
import { createPlanBudget } from "../../../../../src/validation/undecided.ts";
import { stepsOf } from "../../../../support/plan/steps.ts";

/**
 * Returns the steps of an object that is declared in v2, whose CustomResourceDefinition changes
 * first.
 */
function check({ live, spec, versions, conversion = "None", steps = stepsOf("update") }: Case) {
  const object: KubeObject = parse(
    `{apiVersion: shop.example/v2, kind: Gadget, metadata: {name: a}, spec: ${spec}}`,
  );
  const entries = live.managers.map((apiVersion) => ({ manager: "us", apiVersion, fieldsV1: {} }));
  const now: KubeObject = {
    ...object,
    ...parse(live.object),
    metadata: { name: "a", managedFields: entries },
  };
  const definition: KubeObject = {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "gadgets.shop.example" },
    spec: {
      ...{ group: "shop.example", names: { kind: "Gadget" }, conversion: { strategy: conversion } },
      versions: Object.entries(versions).map(([name, fields]) => ({
        name,
        schema: { openAPIV3Schema: parse(`{type: object, properties: ${fields}}`) },
      })),
    },
  };
  const typeOf = customTypes([definition], "any");
  const pending = {
    key: "crd",
    object: definition,
    isNew: false,
    typeOf,
    budget: createPlanBudget(),
  };
  return addOwnerMigration(steps, object, now, pending)
    .map((step) => (step.type === "migrate-api-version" ? step.versions.join(" ") : step.type))
    .join(", ");
}

interface Case {
  readonly live: { readonly managers: readonly string[]; readonly object: string };
  readonly spec: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly conversion?: string;
  readonly steps?: ReturnType<typeof stepsOf>;
}

const a = "{spec: {type: object, properties: {a: {type: integer}}}}";
const ab = "{spec: {type: object, properties: {a: {type: integer}, b: {type: string}}}}";
const usual: Case = {
  live: { managers: ["shop.example/v1"], object: "{spec: {a: 1}}" },
  spec: "{a: 1, b: x}",
  versions: { v1: a, v2: ab },
};
const migrated = "shop.example/v1, apply";

test.each<readonly [name: string, differs: Partial<Case>, steps: string]>([
  ["a field that the owner's version lacks", {}, migrated],
  ["only fields that both versions have", { spec: "{a: 2}" }, "apply"],
  [
    "owners in the declared version",
    { live: { ...usual.live, managers: ["shop.example/v2"] } },
    "apply",
  ],
  ["a removed version", { spec: "{a: 2}", versions: { v2: ab } }, migrated],
  [
    "a field of another type",
    { spec: "{a: 2}", versions: { v1: a.replace("integer", "string"), v2: a } },
    migrated,
  ],
  [
    "a live field that is no longer declared",
    { spec: "{a: 1}", live: { ...usual.live, object: "{spec: {b: x}}" } },
    migrated,
  ],
  [
    "a status that the owner's version lacks",
    { spec: "{a: 1}", live: { ...usual.live, object: "{status: {ready: true}}" } },
    migrated,
  ],
  [
    "a schema that keeps unknown fields",
    {
      versions: {
        v1: "{spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}",
        v2: ab,
      },
    },
    "apply",
  ],
  ["a conversion webhook", { conversion: "Webhook" }, "apply"],
  [
    "a conversion webhook that no longer knows the version",
    { conversion: "Webhook", versions: { v2: ab } },
    migrated,
  ],
  ["a recreated object", { steps: stepsOf("replace") }, "recreate, apply"],
  [
    "fields that qvs adopts first",
    {
      steps: [
        { type: "transfer-ownership", managers: ["k"], fields: {}, removes: [] },
        { type: "apply" },
      ],
    },
    "transfer-ownership, shop.example/v1, apply",
  ],
])("the plan has the steps for: %s", (_, differs, steps) => {
  expect(check({ ...usual, ...differs })).toBe(steps);
});

test.each([
  ["None", { a: 1 }],
  ["Webhook", { a: 1, b: "x" }],
])("an object loses fields that the stored version lacks: conversion %s", (strategy, spec) => {
  const version = (name: string, fields: string) => ({
    ...{ name, served: true, storage: name === "v1" },
    schema: { openAPIV3Schema: parse(`{type: object, properties: ${fields}}`) },
  });
  const definition: KubeObject = {
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: { name: "gadgets.shop.example" },
    spec: { conversion: { strategy }, versions: [version("v1", a), version("v2", ab)] },
  };
  const typeOf = customTypes([definition], "any");
  const budget = createPlanBudget();
  const pending = { key: "crd", object: definition, isNew: false, typeOf, budget };
  const object: KubeObject = parse(
    "{apiVersion: shop.example/v2, kind: Gadget, metadata: {name: a}, spec: {a: 1, b: x}}",
  );
  expect(storedObject(object, pending).spec).toEqual(spec);
});
