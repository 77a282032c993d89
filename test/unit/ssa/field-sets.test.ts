import { expect, test } from "vitest";
import { parse } from "yaml";
import { existingFields, pruneFields, unionFieldSets } from "../../../src/ssa/field-sets.ts";

interface Case {
  readonly value: string;
  readonly dropped: string;
  readonly kept?: readonly string[];
  readonly defaults?: string;
}

function prune({ value, dropped, kept = [], defaults }: Case) {
  const pruning = {
    dropped: parse(dropped),
    kept: kept.map((set) => parse(set)),
    defaults: defaults === undefined ? undefined : parse(defaults),
  };
  return pruneFields(parse(value), pruning);
}

test("a field without other owners is removed, and a field with other owners is kept", () => {
  const pruned = prune({
    value: "{data: {a: '1', b: '2', c: '3'}}",
    dropped: "{'f:data': {'f:a': {}, 'f:b': {}}}",
    kept: ["{'f:data': {'f:b': {}}}"],
  });
  expect(pruned).toEqual({ value: { data: { b: "2", c: "3" } }, removed: ["data.a"] });
});

test("a list item is found by its key and removed with its content", () => {
  const pruned = prune({
    value: "{env: [{name: A, value: x}, {name: B, value: y}]}",
    dropped: `{'f:env': {'k:{"name":"A"}': {'.': {}, 'f:name': {}}, 'k:{"name":"B"}': {'.': {}}}}`,
    kept: [`{'f:env': {'k:{"name":"B"}': {'.': {}}}}`],
  });
  expect(pruned).toEqual({
    value: { env: [{ name: "B", value: "y" }] },
    removed: ['env[name="A"]'],
  });
});

test("a default is restored, and only a different value is reported", () => {
  const pruned = prune({
    value: "{spec: {replicas: 3, paused: true, policy: Always}}",
    dropped: "{'f:spec': {'f:replicas': {}, 'f:paused': {}, 'f:policy': {}}}",
    kept: ["{'f:spec': {'f:selector': {}}}"],
    defaults: "{spec: {replicas: 1, policy: Always}}",
  });
  expect(pruned).toEqual({
    value: { spec: { replicas: 1, policy: "Always" } },
    removed: ["spec.replicas", "spec.paused"],
  });
});

test("a field set can contain absent fields", () => {
  expect(prune({ value: "{a: 1}", dropped: "{'f:b': {'f:c': {}}}" })).toEqual({
    value: { a: 1 },
    removed: [],
  });
});

test("keys with dots and items of sets have the same paths as in the annotation of ignored paths", () => {
  const pruned = prune({
    value: "{metadata: {labels: {a.b/c: x}, finalizers: [one, two]}}",
    dropped: `{'f:metadata': {'f:labels': {'f:a.b/c': {}}, 'f:finalizers': {'v:"one"': {}}}}`,
    kept: ["{'f:metadata': {'f:labels': {'.': {}}, 'f:finalizers': {'.': {}}}}"],
  });
  expect(pruned.removed).toEqual(['metadata.labels["a.b/c"]', 'metadata.finalizers["one"]']);
});

test("a union contains every field of every set", () => {
  const sets = ["{'f:a': {'f:b': {}}}", "{'f:a': {'f:c': {}}, 'f:d': {}}"].map((set) => parse(set));
  expect(unionFieldSets(sets)).toEqual({ "f:a": { "f:b": {}, "f:c": {} }, "f:d": {} });
});

test("the existing fields of a set are those in the value", () => {
  const set = `{'f:a': {}, 'f:env': {'k:{"name":"A"}': {'.': {}, 'f:name': {}, 'f:value': {}}, 'k:{"name":"B"}': {}}}`;
  expect(existingFields(parse(set), parse("{env: [{name: A}], c: 1}"))).toEqual(
    parse(`{'f:env': {'k:{"name":"A"}': {'f:name': {}}}}`),
  );
});
