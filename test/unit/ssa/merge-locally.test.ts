import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { isObject, type JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { mergeLocally } from "../../../src/ssa/merge-locally.ts";

/**
 * Returns the live object of `{web: 1}` after qvs has applied it and other managers have added
 * fields.
 */
const live = (spec: string, ours: string, theirs = "{}"): KubeObject =>
  parse(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  managedFields:
    - {manager: qvs-shop-app, operation: Apply, apiVersion: apps/v1, fieldsV1: {f:spec: ${ours}}}
    - {manager: someone, operation: Update, apiVersion: apps/v1, fieldsV1: {f:spec: ${theirs}}}
spec: ${spec}
`);

const containers = `{f:containers: {'k:{"name":"web"}': {.: {}, f:name: {}, f:image: {}, f:args: {}, f:env: {'k:{"name":"A"}': {.: {}, f:name: {}, f:value: {}}, 'k:{"name":"B"}': {.: {}, f:name: {}, f:value: {}}}}}}`;

test.each([
  [
    "an undeclared field is removed",
    "{a: 1, b: 2}",
    "{f:a: {}, f:b: {}}",
    "{}",
    "{a: 1}",
    "{a: 1}",
  ],
  [
    "fields of other managers stay, even if this deployment no longer declares them",
    "{a: 1, b: 2}",
    "{f:a: {}, f:b: {}}",
    "{f:b: {}}",
    "{a: 1}",
    "{a: 1, b: 2}",
  ],
  [
    "defaults of the server stay",
    "{a: 1, default: x}",
    "{f:a: {}}",
    "{}",
    "{a: 3}",
    "{a: 3, default: x}",
  ],
  [
    "an empty value that the API server didn't store isn't added again",
    "{a: 1, kept: {}}",
    "{f:a: {}, f:kept: {}, f:lost: {}}",
    "{}",
    "{a: 2, kept: {}, lost: {}, new: []}",
    "{a: 2, kept: {}, new: []}",
  ],
  [
    "null removes the applied keys of an object and keeps those of other managers",
    "{a: {x: 1, y: 2}, b: {x: 1}, c: {x: 1}}",
    "{f:a: {f:x: {}}, f:b: {f:x: {}}, f:c: {}}",
    "{f:a: {f:y: {}}}",
    "{a: null, b: null, c: null}",
    "{a: {y: 2}, b: null, c: null}",
  ],
  [
    "a new field is added",
    "{a: 1}",
    "{f:a: {}}",
    "{}",
    "{a: 1, c: {d: [1]}}",
    "{a: 1, c: {d: [1]}}",
  ],
  [
    "items of a list are added and removed by their key, with their defaults",
    "{containers: [{name: web, image: 'web:1', args: [x], pull: Always, env: [{name: A, value: a}, {name: B, value: b}]}, {name: injected}]}",
    containers,
    "{}",
    "{containers: [{name: web, image: 'web:2', env: [{name: A, value: a}, {name: C, value: c}]}]}",
    "{containers: [{name: web, image: 'web:2', pull: Always, env: [{name: A, value: a}, {name: C, value: c}]}, {name: injected}]}",
  ],
  [
    "list items are in their declared order, and those of other managers at their place",
    "{containers: [{name: web, env: [{name: A}, {name: theirs}, {name: B}]}]}",
    containers,
    "{}",
    "{containers: [{name: web, env: [{name: B}, {name: A}]}]}",
    "{containers: [{name: web, env: [{name: theirs}, {name: B}, {name: A}]}]}",
  ],
  [
    "a new list item is at its declared place",
    "{containers: [{name: web, env: [{name: A}, {name: B}, {name: theirs}]}]}",
    containers,
    "{}",
    "{containers: [{name: web, env: [{name: A}, {name: C}, {name: B}]}]}",
    "{containers: [{name: web, env: [{name: A}, {name: C}, {name: B}, {name: theirs}]}]}",
  ],
  [
    "a list that is replaced as a whole loses its items",
    "{hosts: [a, b]}",
    "{f:hosts: {}}",
    "{}",
    "{hosts: [b]}",
    "{hosts: [b]}",
  ],
  [
    "a map that is replaced as a whole loses its fields",
    "{selector: {app: web, tier: x}}",
    "{f:selector: {}}",
    "{}",
    "{selector: {app: web, b: y}}",
    "{selector: {app: web, b: y}}",
  ],
  [
    "items that differ only by defaults are equal",
    "{rules: [{port: 80, protocol: TCP}]}",
    "{f:rules: {}}",
    "{}",
    "{rules: [{port: 80}]}",
    "{rules: [{port: 80, protocol: TCP}]}",
  ],
  [
    "unowned items stay next to a list with only changed items",
    "{net: {ports: [{port: 80, target: 80}], address: x}}",
    `{f:net: {f:ports: {'k:{"port":80}': {.: {}, f:port: {}}}}}`,
    "{}",
    "{net: {ports: [{port: 81}]}}",
    "{net: {ports: [{port: 81}], address: x}}",
  ],
  [
    "items of a set are added and removed",
    "{finalizers: [a, b]}",
    `{f:finalizers: {'v:"a"': {}, 'v:"b"': {}}}`,
    "{}",
    "{finalizers: [b, c]}",
    "{finalizers: [b, c]}",
  ],
])("%s", (_, before, ours, theirs, declared, expected) => {
  const desired = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } };
  const merged = mergeLocally(
    live(before, ours, theirs),
    { ...desired, spec: parse(declared) as JsonObject },
    "qvs-shop-app",
  );
  expect(stringify(sorted(merged["spec"]))).toBe(stringify(sorted(parse(expected))));
});

test("defaults in a replaced list are kept if no removal is predicted", () => {
  const before =
    "{claims: [{kind: Claim, metadata: {name: a}, spec: {size: 1, mode: File}}, {name: b, served: true}]}";
  const declared = "{claims: [{metadata: {name: a}, spec: {size: 2}}, {name: c}]}";
  const merged = mergeLocally(
    live(before, "{f:claims: {}}"),
    { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: parse(declared) },
    "qvs-shop-app",
    { defaults: "kept" },
  );
  expect(merged["spec"]).toEqual(
    parse("{claims: [{kind: Claim, metadata: {name: a}, spec: {size: 2, mode: File}}, {name: c}]}"),
  );
});

test("a replaced list has its declared value, and an emptied one is null or removed, if defaults are added later", () => {
  const before =
    "{atom: {a: x, b: y}, steps: [{do: a, n: 1}], labels: {a: x}, ports: [{port: 1}], others: {z: 1}, items: [{name: x, opts: {a: x}}]}";
  const ours =
    '{f:atom: {}, f:steps: {}, f:labels: {f:a: {}}, f:ports: {\'k:{"port":1}\': {.: {}, f:port: {}}}, f:items: {\'k:{"name":"x"}\': {.: {}, f:name: {}, f:opts: {f:a: {}}}}}';
  const declared =
    "{atom: {a: x}, steps: [{do: a}], labels: {}, ports: [], others: {}, items: [{name: x, opts: {}}]}";
  const merged = mergeLocally(
    live(before, ours, "{f:others: {f:z: {}}}"),
    { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: parse(declared) },
    "qvs-shop-app",
    { defaults: "filled in" },
  );
  expect(merged["spec"]).toEqual(
    parse(
      "{atom: {a: x}, steps: [{do: a}], labels: null, others: {z: 1}, items: [{name: x, opts: null}]}",
    ),
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value as never)) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}

const set = "{properties: {tags: {type: array, x-kubernetes-list-type: set, items: {}}}}";
const atomicSet = "{properties: {tags: {type: array, items: {}}}}";
const items = "items: {properties: {name: {}, kind: {default: x}}}";
const mapList = `{properties: {ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name, kind], ${items}}}}`;
const map = "{properties: {opts: {type: object, additionalProperties: {}}}}";
const atomicMap = "{properties: {opts: {type: object, x-kubernetes-map-type: atomic}}}";

test.each([
  [
    "a list that becomes a set",
    "{tags: [a, b]}",
    "{f:tags: {}}",
    set,
    "{tags: [c, b]}",
    "{tags: [a, c, b]}",
  ],
  [
    "a list whose items get a key, also by a default",
    "{ports: [{name: a, n: 1}, {name: b, n: 1}]}",
    "{f:ports: {}}",
    mapList,
    "{ports: [{name: b, kind: x, n: 2}]}",
    "{ports: [{name: a, n: 1}, {name: b, kind: x, n: 2}]}",
  ],
  [
    "an object that becomes granular",
    "{opts: {a: 1}}",
    "{f:opts: {}}",
    map,
    "{opts: {b: 1}}",
    "{opts: {a: 1, b: 1}}",
  ],
  [
    "a list that becomes atomic",
    "{tags: [a, theirs]}",
    `{f:tags: {'v:"a"': {}}}`,
    atomicSet,
    "{tags: [b]}",
    "{tags: [b]}",
  ],
  [
    "a list that becomes atomic, which qvs owned partly and no longer declares",
    "{tags: [a, theirs]}",
    `{f:tags: {'v:"a"': {}}}`,
    atomicSet,
    "{}",
    "{}",
  ],
  [
    "an object that becomes atomic",
    "{opts: {a: 1, theirs: 1}}",
    "{f:opts: {f:a: {}}}",
    atomicMap,
    "{opts: {a: 2}}",
    "{opts: {a: 2}}",
  ],
])("the merge follows the new schema: %s", (_, before, ours, schema, declared, expected) => {
  const merged = mergeLocally(
    live(before, ours),
    { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: parse(declared) },
    "qvs-shop-app",
    { schema: { properties: { spec: parse(schema) } } },
  );
  expect(merged["spec"]).toEqual(parse(expected));
});
