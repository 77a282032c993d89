import { expect, test } from "vitest";
import { bindConfig } from "../../../../src/config/bind-config.ts";
import { readObjects } from "../../../../src/config/inputs/read-objects.ts";
import { parseConfig } from "../../../../src/config/parse-config.ts";
import { parseInlineParams, parseParams } from "../../../../src/config/parse-params.ts";
import { paramOrigins } from "../../../../src/sources/bind-deployment.ts";
import { lines, must, resultText } from "../result-text.ts";

const params = "params:\n  - {name: version, type: string}\n  - {name: zones, type: array}\n";
const values = must(parseParams("params.yaml", 'version: "1.10"\nzones: [a, b]'));

/** Binds a config with one entry per given file. */
function bind(
  entries: readonly string[],
  files: readonly string[],
  inline: readonly string[] = [],
) {
  const designPatterns = entries.map((entry) => `  - {manifests: a.yaml${entry}}`).join("\n");
  const parsed = must(parseConfig("q.yaml", `${params}designPatterns:\n${designPatterns}`));
  const read = parsed.fileEntries.map((entry, index) => ({
    ...entry,
    files: [`${index}.yaml`],
    objects: must(readObjects(`${index}.yaml`, files[index] ?? "")),
  }));
  const given = [...values, ...must(parseInlineParams(inline))];
  return { given, config: bindConfig(parsed, given, read) };
}

function bound(entries: readonly string[], files: readonly string[]): string {
  return resultText(bind(entries, files).config, ({ inputs = [] }) =>
    inputs
      .flatMap(({ stage, group, objects }) =>
        objects.map(({ id, object }) => {
          const { apiVersion: _, kind: __, ...rest } = object;
          return `${[stage, group, id].filter((part) => part !== undefined).join("/")} ${JSON.stringify(rest)}`;
        }),
      )
      .join("\n"),
  );
}

const object = (kind: string, metadata: string, more = "") =>
  `{apiVersion: v1, kind: ${kind}, metadata: {${metadata}}${more}}`;

test("a reference alone keeps its type, and a reference in a string is text", () => {
  expect(
    bound(
      [""],
      [
        object(
          "ConfigMap",
          "name: a",
          ', zones: ["$(params.zones[*])", c], tag: "v$(params.version)"',
        ),
      ],
    ),
  ).toBe('app/configmap/a {"metadata":{"name":"a"},"zones":["a","b","c"],"tag":"v1.10"}');
});

test("other references of shells and Pods stay", () => {
  expect(
    bound([""], [object("ConfigMap", "name: a", ', data: {a: "$(VAR) ${x} $$(params.version)"}')]),
  ).toBe('app/configmap/a {"metadata":{"name":"a"},"data":{"a":"$(VAR) ${x} $(params.version)"}}');
});

test("a reference to an undeclared parameter has the place in the file", () => {
  expect(
    bound([""], [object("ConfigMap", "name: a", ", data:\n  {a: $(params.verzion)}")]),
  ).toBe(lines`
    0.yaml:2:7: Parameter "verzion" isn't declared
      → Did you mean "$(params.version)"?
        or declare "verzion" under params
        or write $$(params.verzion) for the literal string`);
});

test("the id contains kind, namespace and name in lower case", () => {
  expect(
    bound(
      [", stage: appSetup, group: g"],
      [
        `${object("ConfigMap", "name: a, namespace: Shop")}\n---\n${object("Namespace", "name: b")}`,
      ],
    ),
  ).toBe(lines`
    appSetup/g/configmap/shop/a {"metadata":{"name":"a","namespace":"Shop"}}
    appSetup/g/namespace/b {"metadata":{"name":"b"}}`);
});

test("a namespace is set on namespaced objects without one", () => {
  const definition = (kind: string, scope: string) =>
    `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ${kind.toLowerCase()}s.x.example}, spec: {group: x.example, names: {kind: ${kind}}, scope: ${scope}}}`;
  const custom = (kind: string) => `{apiVersion: x.example/v2, kind: ${kind}, metadata: {name: a}}`;
  const found = bound(
    [', namespace: "n-$(params.version)"', ""],
    [
      [
        object("ConfigMap", "name: a"),
        object("ConfigMap", "name: a, namespace: other"),
        object("Namespace", "name: b"),
        "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}}",
        ...["Wide", "Narrow", "Unknown"].map(custom),
      ].join("\n---\n"),
      [definition("Wide", "Cluster"), definition("Narrow", "Namespaced")].join("\n---\n"),
    ],
  );
  expect(found.split("\n").map((line) => line.split(" ")[0])).toEqual([
    "app/configmap/n-1.10/a",
    "app/configmap/other/a",
    "app/namespace/b",
    "app/clusterrole/r",
    "app/wide/a",
    "app/narrow/n-1.10/a",
    "app/unknown/n-1.10/a",
    "app/customresourcedefinition/wides.x.example",
    "app/customresourcedefinition/narrows.x.example",
  ]);
});

test("a custom kind named CustomResourceDefinition defines no scope", () => {
  const other = `{apiVersion: acme.example/v1, kind: CustomResourceDefinition, metadata: {name: c}, spec: {group: x.example, names: {kind: Wide}, scope: Cluster}}`;
  const wide = "{apiVersion: x.example/v2, kind: Wide, metadata: {name: a}}";
  const found = bound([", namespace: n"], [[wide, other].join("\n---\n")]);
  expect(found.split("\n").map((line) => line.split(" ")[0])).toEqual([
    "app/wide/n/a",
    "app/customresourcedefinition/n/c",
  ]);
});

test("an object that two files declare is an error with both places", () => {
  const map = object("ConfigMap", "name: a");
  expect(bound(["", ", stage: appSetup, group: g"], [map, `\n${map}`])).toBe(lines`
    1.yaml:2:1: ConfigMap a is declared twice
      and 0.yaml:1:1
      → Remove one of the two`);
});

test("different objects with one id are an error with both places", () => {
  const [one, other] = ["v1", "serving.knative.dev/v1"].map(
    (version) => `{apiVersion: ${version}, kind: Service, metadata: {name: a}}`,
  );
  expect(bound([""], [`${one}\n---\n${other}`])).toBe(lines`
    0.yaml:3:1: Service a has the resource id of another object
      and 0.yaml:1:1
      id: service/a
      → Move one of the two to an entry of its own, with a "group"`);
  expect(bound(["", ", group: knative"], [one ?? "", other ?? ""])).toContain(
    "app/knative/service/a",
  );
});

test("an object without a name is an error", () => {
  expect(bound([""], [object("ConfigMap", "labels: {}")])).toBe(lines`
    0.yaml:1:1: The object lacks apiVersion, kind or metadata.name
      → Set each of them to a string`);
  expect(bound([""], [object("ConfigMap", "name: y")])).toBe(lines`
    0.yaml:1:1: The object lacks apiVersion, kind or metadata.name
      metadata.name: true (boolean); write it in quotes
      → Set each of them to a string`);
});

test.each([
  [object("Secret", "name: a", ", stringData: {x: $(params.version)}"), ["version"]],
  [object("ConfigMap", "name: a", ", data: {password: $(params.version)}"), ["version"]],
  [object("Pod", "name: a", ", env: [{name: DB_PASSWORD, value: $(params.version)}]"), ["version"]],
  [object("ConfigMap", "name: a", ", data: {x: $(params.version)}"), []],
])("releases record the parameters of secret fields: %s", (file, expected) => {
  const { given, config } = bind([""], [file]);
  expect(paramOrigins(given, must(config)).secret).toEqual(expected);
});

test("every part has the place where it is written, and the parameters that it comes from", () => {
  const { config } = bind(
    [", namespace: n"],
    [object("ConfigMap", "name: a", ",\n  data: {a: $(params.version)}")],
  );
  const [first] = must(config).inputs ?? [];
  const text = first?.objects[0]?.places.map(({ path, where, from = [] }) =>
    `${path.join(".")} ${where.file}:${where.line}:${where.column} ${from.join()}`.trim(),
  );
  expect(text).toEqual([
    "0.yaml:1:1",
    "apiVersion 0.yaml:1:14",
    "kind 0.yaml:1:24",
    "metadata 0.yaml:1:45",
    "metadata.name 0.yaml:1:52",
    "data 0.yaml:2:9",
    "data.a 0.yaml:2:13 version",
    "metadata.namespace q.yaml:5:36",
  ]);
  expect(first?.params).toEqual([
    {
      name: "version",
      value: "1.10",
      where: { file: "0.yaml", line: 2, column: 13 },
      from: ["version"],
    },
  ]);
});
