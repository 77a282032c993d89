import { afterEach, expect, test, vi } from "vitest";
import type { Json, JsonObject } from "../../../src/model/json.ts";
import type { KubeObject } from "../../../src/model/object.ts";
import { compareWithLive } from "../../../src/plan/changes/compare-with-live.ts";
import {
  childValue,
  existingFields,
  pickFields,
  pruneFields,
} from "../../../src/ssa/field-sets.ts";
import { declaredIndex, itemIndexes, keyFinder } from "../../../src/ssa/list-items.ts";
import { mergeLocally } from "../../../src/ssa/merge-locally.ts";
import { predictConflicts } from "../../../src/ssa/predict-conflicts.ts";

const ports = [
  { port: 53, protocol: "UDP" },
  { protocol: "TCP", port: 53 },
  { port: 80 },
  "80",
  { port: 53, protocol: "TCP", name: "again" },
  { port: 90, target: { b: 1, a: [2] } },
  { port: 90 },
  { protocol: "SCTP" },
];

test.each<[string, readonly number[]]>([
  ['k:{"port":53,"protocol":"TCP"}', [1, 4]],
  ['k:{"protocol":"UDP","port":53}', [0]],
  ['k:{"port":80}', [2]],
  ['k:{"port":"80"}', []],
  ['k:{"target":{"a":[2],"b":1}}', [5]],
  ['v:"80"', [3]],
  ["v:80", []],
  ['v:{"port":80}', [2]],
  ["v:{", []],
  ["k:{", []],
  ["k:80", []],
  ["f:port", []],
])("%s matches the items %j", (key, places) => {
  expect(itemIndexes(key, ports)).toEqual(places);
  expect(childValue(ports, key)).toBe(ports[places[0] ?? -1]);
});

test("the key of an item is the first that matches it", () => {
  const keyOf = keyFinder([
    'v:"80"',
    'k:{"port":90}',
    'k:{"port":53}',
    'k:{"port":53,"protocol":"TCP"}',
  ]);
  expect(ports.map(keyOf)).toEqual([
    ...['k:{"port":53}', 'k:{"port":53}', undefined, 'v:"80"'],
    ...['k:{"port":53}', 'k:{"port":90}', 'k:{"port":90}', undefined],
  ]);
});

test.each<[string, number]>([
  ['k:{"port":53,"protocol":"TCP"}', 1],
  ['k:{"port":80,"protocol":"TCP"}', 2],
  ['k:{"port":90,"protocol":"TCP"}', -1],
  ['k:{"port":1,"protocol":"UDP"}', -1],
  ['k:{"name":"again","port":80}', 2],
  ['k:{"port":7,"protocol":"SCTP"}', -1],
  ['k:{"port":80}', 2],
  ['k:{"port":81}', -1],
  ['v:"80"', 3],
  ['v:"81"', -1],
])("%s is declared at %i", (key, place) => {
  expect(declaredIndex(key, ports)).toBe(place);
});

test("items with the same key are removed together, and the others keep their order", () => {
  const env = [{ name: "A", value: "1" }, { name: "B" }, { name: "A", value: "2" }, { name: "C" }];
  const dropped = { 'k:{"name":"A"}': { ".": {} }, 'k:{"name":"C"}': { ".": {} } };
  expect(pruneFields(env, { dropped, kept: [], defaults: undefined })).toEqual({
    value: [{ name: "B" }],
    removed: ['[name="A"]', '[name="C"]'],
  });
});

test.each<[string, Json, JsonObject, Json | undefined, Json]>([
  ["a map that loses all keys is null", { a: { b: 1 } }, { "f:b": {} }, undefined, { a: null }],
  ["a list that loses all items is undefined", { a: ["b"] }, { 'v:"b"': {} }, undefined, {}],
  ["a default is restored", { a: { b: 1 } }, { "f:b": {} }, { a: {} }, { a: {} }],
  ["no default is restored", { a: { b: 1 } }, { "f:b": {} }, {}, {}],
  ["a previously empty value stays", { a: {} }, { "f:b": {} }, undefined, { a: {} }],
])("for a field that is declared empty, %s", (_, value, below, defaults, pruned) => {
  const pruning = { dropped: { "f:a": below }, kept: [{ "f:a": {} }], defaults };
  expect(pruneFields(value, pruning).value).toEqual(pruned);
});

const manager = "qvs-shop-app";

/**
 * Creates an object with `count` texts, ports and data entries, of which the first half is
 * declared.
 */
function sample(count: number) {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const content = (some: readonly number[]): JsonObject => ({
    texts: some.map((index) => `text ${index}`),
    ports: some.map((port) => ({ port, name: `port ${port}` })),
    data: Object.fromEntries(some.map((index) => [`key-${index}`, "x"])),
  });
  const keyed = (keys: readonly string[], below: Json) =>
    Object.fromEntries(keys.map((key) => [key, below]));
  const portKeys = numbers.map((port) => `k:${JSON.stringify({ port, protocol: "TCP" })}`);
  const owned: JsonObject = {
    "f:texts": keyed(
      numbers.map((index) => `v:"text ${index}"`),
      {},
    ),
    "f:ports": keyed(portKeys, { ".": {}, "f:port": {}, "f:protocol": {}, "f:name": {} }),
    "f:data": keyed(
      numbers.map((index) => `f:key-${index}`),
      {},
    ),
  };
  const entry = { manager, operation: "Apply", apiVersion: "v1", fieldsV1: { "f:spec": owned } };
  const others = { ...entry, manager: "other", fieldsV1: { "f:spec": { ...owned } } };
  const object = (spec: JsonObject): KubeObject => ({
    apiVersion: "v1",
    kind: "Lamp",
    metadata: { name: "a", managedFields: [entry, others] },
    spec,
  });
  const all = content(numbers);
  const withProtocol = (all["ports"] as JsonObject[]).map((port) => ({ ...port, protocol: "TCP" }));
  const live = object({ ...all, ports: withProtocol });
  return {
    live,
    owned,
    some: { "f:texts": { ".": {} }, "f:ports": { ".": {} }, "f:data": { ".": {} } },
    spec: live["spec"] as Json,
    half: object(content(numbers.slice(0, count / 2))),
    same: live,
  };
}

afterEach(() => vi.restoreAllMocks());

/** Returns the number of parsed keys and field lookups. */
function workOf(task: () => unknown): number {
  const spies = [vi.spyOn(JSON, "parse"), vi.spyOn(Object, "hasOwn")];
  task();
  const calls = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  vi.restoreAllMocks();
  return calls;
}

type Sample = ReturnType<typeof sample>;

test.each<[string, (of: Sample) => unknown]>([
  ["conflicts are expected", ({ live, half }) => predictConflicts(live, half, manager)],
  ["an object is merged", ({ live, half }) => mergeLocally(live, half, manager)],
  ["an object is compared", ({ live, same }) => compareWithLive(same, live, manager)],
  [
    "fields are dropped",
    ({ spec, owned, some }) =>
      pruneFields(spec, { dropped: owned, kept: [some], defaults: undefined }),
  ],
  ["fields are kept", ({ spec, owned }) => pickFields(spec, owned)],
  ["fields are found", ({ spec, owned }) => existingFields(owned, spec)],
])("the work grows linearly with the items if %s", (_name, task) => {
  const [small, large] = [sample(50), sample(200)];
  expect(workOf(() => task(large))).toBeLessThan(5 * workOf(() => task(small)));
});
