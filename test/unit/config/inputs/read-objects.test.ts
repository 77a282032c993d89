import { expect, test } from "vitest";
import { readObjects, readRendered } from "../../../../src/config/inputs/read-objects.ts";
import { toJson } from "../../../../src/config/read-typed.ts";
import { lines, resultText } from "../result-text.ts";

function check(yaml: string, expected: string, file = "k8s/web.yaml"): void {
  const read = readObjects(file, yaml);
  const found = resultText(read, (objects) =>
    objects
      .map((node) => `${node.where.line}:${node.where.column} ${JSON.stringify(toJson(node))}`)
      .join("\n"),
  );
  expect(found.replaceAll(`${file}:`, "")).toBe(expected);
}

const object = (fields: string) =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, ${fields}}`;
const json = (fields: string) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},${fields}}`;

test("a file has the objects of all documents, without empty ones", () => {
  check(
    `# only a comment\n---\n${object("data: {k: 1}")}\n---\n---\n${object("data: {k: 2}")}\n...\n`,
    `3:1 ${json('"data":{"k":1}')}\n6:1 ${json('"data":{"k":2}')}`,
  );
});

test("Lists are replaced by their objects, with their places", () => {
  const list = (...items: readonly string[]) =>
    `{apiVersion: v1, kind: List, items: [\n${items.join(",\n")}\n]}`;
  check(
    list(object("data: {k: 1}"), list(object("data: {k: 2}"))),
    `2:1 ${json('"data":{"k":1}')}\n4:1 ${json('"data":{"k":2}')}`,
  );
});

test("JSON is read as well", () => {
  check(json('\n\t"data": {"k": 1.0}'), `1:1 ${json('"data":{"k":1}')}`, "a.json");
});

test.each([
  ["octal numbers", "a: 0644", '"a":420'],
  ["switches", "a: on", '"a":true'],
  ["dates stay strings", "a: 2026-11-22", '"a":"2026-11-22"'],
  ["base-60 numbers stay strings", "a: 22:22", '"a":"22:22"'],
  ["a key has the text of its value", "on: 1, 1.5: 2", '"true":1,"1.5":2'],
  ["a merge key", "a: &a {x: 1, z: 2}, b: {<<: *a, z: 3}", '"a":{"x":1,"z":2},"b":{"z":3,"x":1}'],
  [
    "several merged objects",
    "a: &a {x: 1}, b: &b {x: 2, z: 2}, c: {<<: [*a, *b]}",
    '"a":{"x":1},"b":{"x":2,"z":2},"c":{"x":1,"z":2}',
  ],
])("values have the meaning that kubectl gives them: %s", (_, yaml, expected) => {
  check(object(yaml), `1:1 ${json(expected)}`);
});

test.each([
  [
    "a document that isn't an object",
    "- a",
    lines`
      1:1: This document isn't a Kubernetes object
        missing: apiVersion, kind, metadata
        → Name the files with manifests, for example with a glob`,
  ],
  [
    "a document without fields of Kubernetes",
    "kind: x\nmetadata: {}",
    lines`
      1:1: This document isn't a Kubernetes object
        missing: apiVersion
        → Name the files with manifests, for example with a glob`,
  ],
  [
    "a kustomization",
    "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: x}",
    lines`
      1:1: This document isn't a manifest
        why: A tool reads it to render manifests
        → Write "kustomize:" instead of "manifests:" for the directory of a kustomization
          or name the files with manifests, for example with a glob`,
  ],
  [
    "a field that qvs reserves",
    object("provider: aws"),
    lines`
      1:56: The object has the field "provider", which qvs reserves
        → Remove "provider", or write the object in an adapter`,
  ],
  [
    "a template of a chart",
    "a: {{ .Values.x }}",
    lines`
      1:5: A key isn't a string
        → Write a name before the colon
          or quote a name that begins with { or [`,
  ],
  [
    "a merge key without an object",
    object("data: {<<: 1}"),
    lines`
      1:67: Merge key "<<" has a value that isn't an object
        → Write an alias of an object, or a list of them`,
  ],
  [
    "bytes",
    object("data: {a: !!binary aGk=}"),
    lines`
      1:66: The YAML tag is unknown
        → Remove the tag
          or quote the string`,
  ],
])("an error has its place: %s", (_, yaml, expected) => {
  check(yaml, expected);
});

test("aliases of aliases are an error and don't fill the memory", { tags: "slow" }, () => {
  const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"];
  for (const [to, from] of ["ba", "cb", "dc", "ed", "fe", "gf"].map((each) => [...each]))
    bomb.push(`${to}: &${to} [${Array.from({ length: 10 }, () => `*${from}`).join(", ")}]`);
  const read = readObjects("k8s/web.yaml", bomb.join("\n"));
  expect(resultText(read, String)).toContain("The YAML has too many levels or values");
});

test("a rendered document that isn't an object is corrected in its template", () => {
  const read = readRendered({ file: "web.yaml", line: 1, column: 1 }, "a: 1\n");
  expect(read.ok ? [] : read.problems.map(({ fix }) => fix)).toEqual([
    "Correct the template, or the values that it uses",
  ]);
});
