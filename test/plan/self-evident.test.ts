import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { idOf, type KubeObject, keyOf } from "../../src/model/object.ts";
import type { DesiredObject } from "../../src/plan/desired.ts";
import { selfEvidentKeys } from "../../src/plan/self-evident.ts";

interface Case {
  readonly name: string;
  /** Objects as `Kind name`. */
  readonly desired: readonly string[];
  /** Live objects as `Kind name: managers`. */
  readonly live: Readonly<Record<string, readonly string[]>>;
  readonly evident: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: "one new ConfigMap stands for all new ones",
    desired: ["ConfigMap a", "ConfigMap b", "ConfigMap c"],
    live: {},
    evident: ["ConfigMap b", "ConfigMap c"],
  },
  {
    name: "new and changed ones are asked about separately",
    desired: ["ConfigMap a", "ConfigMap b"],
    live: { "ConfigMap b": ["Apply qvs-shop-app"] },
    evident: [],
  },
  {
    name: "a field of somebody else's may be a conflict",
    desired: ["Secret a", "Secret b"],
    live: {
      "Secret a": ["Apply qvs-shop-app"],
      "Secret b": ["Apply qvs-shop-app", "Update kubectl"],
    },
    evident: [],
  },
  {
    name: "the other stage's manager is somebody else",
    desired: ["Secret a", "Secret b"],
    live: { "Secret a": ["Apply qvs-shop-app"], "Secret b": ["Apply qvs-shop-appSetup"] },
    evident: [],
  },
  {
    name: "kinds that the server judges are always asked about",
    desired: ["Deployment a", "Deployment b"],
    live: {},
    evident: [],
  },
];

describe("selfEvidentKeys", () => {
  it.each(cases)("$name", ({ desired, live, evident }) => {
    const entries = Object.entries(live).map(([name, owners]) => liveObject(name, owners));
    const byKey = new Map(entries.map((object) => [keyOf(idOf(object)), object]));
    const found = selfEvidentKeys("shop", desired.map(declared), byKey);
    expect([...found]).toEqual(evident.map((name) => keyOf(idOf(objectNamed(name)))));
  });
});

function objectNamed(text: string): KubeObject {
  const [kind, name] = text.split(" ");
  const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
  return parse(
    `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}, namespace: n}}`,
  );
}

function declared(text: string): DesiredObject {
  const object = objectNamed(text);
  const id = idOf(object);
  return { key: keyOf(id), id, stage: "app", resource: text, object, dependsOn: [] };
}

function liveObject(name: string, owners: readonly string[]): KubeObject {
  const object = objectNamed(name);
  const managedFields = owners.map((owner) => {
    const [operation = "", manager = ""] = owner.split(" ");
    return { manager, operation, apiVersion: "v1", fieldsV1: {} };
  });
  return { ...object, metadata: { ...object.metadata, managedFields } };
}
