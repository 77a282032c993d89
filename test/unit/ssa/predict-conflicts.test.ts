import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../src/model/object.ts";
import { predictConflicts } from "../../../src/ssa/predict-conflicts.ts";

const live = (spec: string, ours: string, theirs: string): KubeObject =>
  parse(`
apiVersion: example.com/v1
kind: Lamp
metadata:
  name: one
  managedFields:
    - {manager: qvs-shop-app, operation: Apply, apiVersion: example.com/v1, fieldsV1: {f:spec: ${ours}}}
    - {manager: other, operation: Apply, apiVersion: example.com/v1, fieldsV1: {f:spec: ${theirs}}}
spec: ${spec}
`);

const atomicMap = "{properties: {opts: {type: object, x-kubernetes-map-type: atomic}}}";
const map = "{properties: {opts: {type: object, additionalProperties: {type: integer}}}}";
const list = "{properties: {ports: {type: array, x-kubernetes-list-type: map, items: {}}}}";
const atomicList = "{properties: {ports: {type: array, items: {}}}}";

interface Case {
  readonly live: string;
  readonly ours: string;
  readonly theirs: string;
  readonly declared: string;
  readonly schema?: string;
  readonly found: readonly string[];
}

test.each<[string, Case]>([
  [
    "a field of another manager with another declared value",
    {
      live: "{a: 1, b: 1}",
      ours: "{f:b: {}}",
      theirs: "{f:a: {}}",
      declared: "{a: 2, b: 2}",
      found: [".spec.a"],
    },
  ],
  [
    "a field known after deploy is uncertain",
    {
      live: "{a: x, list: [1], b: 1}",
      ours: "{f:b: {}}",
      theirs: "{f:a: {}, f:list: {}}",
      declared: "{a: '(known after deploy)', list: ['at (known after deploy)'], b: 1}",
      found: [],
    },
  ],
  [
    "an empty map that another manager applied, with content that qvs owns",
    {
      live: "{opts: {a: 1}}",
      ours: "{f:opts: {f:a: {}}}",
      theirs: "{f:opts: {}}",
      declared: "{opts: {a: 2}}",
      found: [],
    },
  ],
  [
    "an empty object with unowned content, under a schema that merges it",
    {
      live: "{opts: {}}",
      ours: "{}",
      theirs: "{f:opts: {}}",
      declared: "{opts: {a: 2}}",
      schema: map,
      found: [],
    },
  ],
  [
    "an empty object that is atomic",
    {
      live: "{opts: {}}",
      ours: "{}",
      theirs: "{f:opts: {}}",
      declared: "{opts: {a: 2}}",
      schema: atomicMap,
      found: [".spec.opts"],
    },
  ],
  [
    "an empty object that is atomic now, and was granular when its owner was recorded",
    {
      live: "{opts: {a: 1}}",
      ours: "{}",
      theirs: "{f:opts: {f:a: {}}}",
      declared: "{opts: {b: 2}}",
      schema: atomicMap,
      found: [".spec.opts"],
    },
  ],
  [
    "an empty list with keys",
    {
      live: "{ports: []}",
      ours: "{}",
      theirs: "{f:ports: {}}",
      declared: "{ports: [{port: 1}]}",
      schema: list,
      found: [],
    },
  ],
  [
    "an empty list that another manager applied, with an item that qvs owns",
    {
      live: "{ports: [{port: 1}]}",
      ours: `{f:ports: {'k:{"port":1}': {.: {}, f:port: {}}}}`,
      theirs: "{f:ports: {}}",
      declared: "{ports: [{port: 1, name: a}]}",
      found: [],
    },
  ],
  [
    "an atomic list",
    {
      live: "{ports: [{port: 2}]}",
      ours: "{}",
      theirs: "{f:ports: {}}",
      declared: "{ports: [{port: 1}]}",
      schema: atomicList,
      found: [".spec.ports"],
    },
  ],
  [
    "a field of an item, and the existence of the item",
    {
      live: "{ports: [{port: 1, name: a}, {port: 2}]}",
      ours: "{}",
      theirs: `{f:ports: {'k:{"port":1}': {.: {}, f:port: {}, f:name: {}}, 'k:{"port":2}': {.: {}}}}`,
      declared: "{ports: [{port: 1, name: b}, {port: 2, name: c}]}",
      schema: list,
      found: [".spec.ports[port=1].name"],
    },
  ],
])("%s", (_name, { live: spec, ours, theirs, declared, schema, found }) => {
  const object = live(spec, ours, theirs);
  const root = schema === undefined ? undefined : { properties: { spec: parse(schema) } };
  const desired = { ...object, spec: parse(declared) };
  const conflicts = predictConflicts(object, desired, "qvs-shop-app", { schema: root });
  expect(conflicts.map(({ field }) => field)).toEqual(found);
  expect(conflicts.every(({ manager }) => manager === "other")).toBe(true);
});
