import { expect, test } from "vitest";
import { parse } from "yaml";
import { customTypes } from "../../../src/validation/custom-types.ts";
import { hasFormat } from "../../../src/validation/formats.ts";
import { schemaViolations } from "../../../src/validation/schema-violations.ts";
import { createPlanBudget } from "../../../src/validation/undecided.ts";
import { validateBySchema } from "../../../src/validation/validate-by-schema.ts";

/** Examples of `strfmt` of kube-openapi, which the API server uses. */
test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  [
    "uri",
    ["https://example.com:8080/x?y=z", "/a/b", "urn:a:b", "mailto:x@y", "*"],
    ["", "no", "a/b", "?x", "http://a/\u007f"],
    ["http://[::1]/", "https://ex ample", "http://a%zz"],
  ],
  [
    "duration",
    ["1h30m", "1.5h", "-1h", "0", "1d", "2 days", "3 weeks ago", "1µs", ".5s"],
    ["", "5", "ns", "h1", "1 fortnight"],
    ["99999999999h"],
  ],
  ["email", ["a+b@c.d"], ["", "a.b"], ["Bob <a@b.c>", "a..b@c", "@b"]],
  ["hostname", ["localhost", "a.example.com", "1a"], ["", "a_b", "-a", "x".repeat(64)], []],
  [
    "mac",
    ["01:23:45:67:89:ab", "0123.4567.89ab"],
    ["01:23:45", "01:23-45:67:89:ab"],
    ["0123456789ab"],
  ],
  ["date", ["2024-02-29"], ["2023-02-29", "2024-13-01", "2024-1-1", "2024-01-00"], []],
  ["date-time", ["2024-01-01t00:00:00z"], ["2024-01-01T24:00:00Z", "2024-01-01T00:00:00"], []],
  ["uuid4", ["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-12d3-a456-426614174000"], []],
  ["byte", ["YQ==", "YWJj"], ["", "YQ", "Y Q="], []],
  ["hexcolor", ["#fff", "ffffff"], ["#ffff"], []],
  ["rgbcolor", ["rgb( 1, 2 ,255)"], ["rgb(256,1,1)", "rgb(01,1,1)"], []],
  ["ssn", ["123-45-6789"], ["123456789"], []],
  ["k8s-short-name", ["a-b"], [], ["A"]],
  ["isbn", [], [], ["0321751043"]],
  ["password", ["x"], [], []],
  ["that isn't checked", ["x"], [], []],
])("the format %s", (format, right, wrong, undecided) => {
  const verdict = (texts: readonly string[]) =>
    texts.filter((text) => hasFormat(text, format) === true);
  expect(verdict(right)).toEqual(right);
  expect(wrong.filter((text) => hasFormat(text, format) !== false)).toEqual([]);
  expect(undecided.filter((text) => hasFormat(text, format) !== undefined)).toEqual([]);
});

function judge(schema: string, spec: string, metadata = "{name: a}") {
  const object = { apiVersion: "a.b/v1", kind: "A", metadata: parse(metadata), spec: parse(spec) };
  const root = `{type: object, properties: {spec: ${schema}}}`;
  const { violations, undecided } = validateBySchema(
    {
      declared: { spec: object.spec },
      stored: object,
      before: undefined,
      isConverted: false,
      metadata: object.metadata,
    },
    parse(root),
    { isOpen: () => false, budget: createPlanBudget(), hasMisfits: false },
  );
  return [
    ...violations.map(({ path, what }) => `${path.join(".")} ${what}`),
    ...(undecided === undefined ? [] : [`? ${undecided.path.join(".")} ${undecided.what}`]),
  ];
}

const embedded =
  "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}";

test.each<[string, string, string, readonly string[]]>([
  ["everything is checked", "{properties: {a: {format: uri}}}", "{a: /x}", []],
  [
    "an unchecked format",
    "{properties: {a: {format: isbn}}}",
    "{a: x}",
    ["? spec.a has the format isbn"],
  ],
  [
    "an invalid format",
    "{properties: {a: {format: uri}}}",
    "{a: x}",
    ["spec.a must have the format uri"],
  ],
  [
    "an unchecked rule",
    "{x-kubernetes-validations: [{rule: isURL(self.a)}]}",
    "{a: x}",
    ["? spec follows the rule isURL(self.a)"],
  ],
  [
    "unchecked alternatives",
    "{anyOf: [{properties: {a: {format: isbn}}}]}",
    "{a: x}",
    ["?  matches its alternatives"],
  ],
  [
    "neither an integer nor a string",
    "{x-kubernetes-int-or-string: true}",
    "1.5",
    ["spec must be an integer or a string"],
  ],
  ["an embedded object", embedded, "{apiVersion: v1, kind: Pod, metadata: {name: x}}", []],
  [
    "an embedded object without a version",
    embedded,
    "{apiVersion: a/b/c, kind: P.d}",
    [
      "spec.apiVersion must be a version, with or without a group",
      "spec.kind must be a name of letters, digits and dashes",
    ],
  ],
  [
    "an embedded object with other metadata",
    embedded,
    "{apiVersion: v1, kind: Pod, metadata: {ownerReferences: []}}",
    ["? spec has valid metadata"],
  ],
])("%s", (_, schema, spec, expected) => {
  expect(judge(schema, spec)).toEqual(expected);
});

test("the API server might reject the metadata", () => {
  const metadata = '{name: a.b, labels: {a/b: x}, annotations: {c: "any text"}}';
  expect(judge("{}", "1", metadata)).toEqual([]);
  for (const other of ["{labels: {a: b c}}", "{labels: {a b: c}}", "{annotations: {a b: c}}"]) {
    expect(judge("{}", "1", other).at(-1)).toBe("? metadata is valid");
  }
});

test.each<[string, string, readonly string[]]>([
  ["{type: object}", "{a: 1}", []],
  ["{type: object}", "text", ["type spec"]],
  ["{type: object, x-kubernetes-preserve-unknown-fields: true}", "{a: 1}", []],
  ["{type: object, additionalProperties: true}", "{a: 1}", []],
  [embedded, "{kind: Pod}", ["missing spec.apiVersion"]],
  [embedded, "{apiVersion: v1, kind: 1}", ["type spec.kind"]],
  [embedded, "text", ["type spec"]],
  [
    "{type: object, x-kubernetes-embedded-resource: true}",
    "{apiVersion: v1, kind: A, a: 1}",
    ["unknown spec.a"],
  ],
])("the type %s with the value %s has the violations %s", (schema, spec, expected) => {
  const definition = parse(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: a.b
  names: {kind: A}
  versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {spec: ${schema}}}}}]
`);
  const type = customTypes([definition], "any")("a.b/v1/A");
  if (type === undefined) throw new Error("There is no such type");
  const found = schemaViolations(
    { apiVersion: "a.b/v1", kind: "A", spec: parse(spec) },
    type,
    () => false,
  );
  expect(found.map(({ misfit, path }) => `${misfit} ${path.join(".")}`)).toEqual(expected);
});

const opts = "opts: {type: object, additionalProperties: {type: string}}";
const items = `{properties: {${opts}, items: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, properties: {name: {type: string}, ${opts}}}}}}`;

test.each<[string, string, string, readonly string[]]>([
  ["of a field", "{opts: null}", "{opts: {a: x}}", ["spec.opts"]],
  [
    "within an item, at any earlier position",
    "{items: [{name: a, opts: {b: y}}, {name: x, opts: null}]}",
    "{items: [{name: x, opts: {a: x}}]}",
    ["spec.items.1.opts"],
  ],
  [
    "none if it was null before",
    "{opts: null, items: [{name: a}, {name: x, opts: null}]}",
    "{opts: null, items: [{name: x, opts: null}]}",
    [],
  ],
])("an object that becomes empty, %s", (_, stored, before, expected) => {
  const { violations } = validateBySchema(
    {
      declared: { spec: parse(stored.replaceAll("null", "{}")) },
      stored: { spec: parse(stored) },
      before: { spec: parse(before) },
      isConverted: false,
      metadata: { name: "a" },
    },
    parse(`{properties: {spec: ${items}}}`),
    { isOpen: () => false, budget: createPlanBudget(), hasMisfits: false },
  );
  expect(violations.map(({ path }) => path.join("."))).toEqual(expected);
});

test("a null item is reported once", () => {
  const list = "{properties: {a: {type: array, items: {type: object}}}}";
  expect(judge(list, "{a: [null]}")).toEqual(["spec.a.0 must not be null"]);
});

test.each<[string, string | undefined, readonly string[]]>([
  ["that has changed", "{a: [x, y], b: 1}", ["spec.a"]],
  ["that is unchanged", "{a: [x], b: 2}", []],
  ["of another version", undefined, []],
])("a list of other managers, %s", (_, before, expected) => {
  const { violations } = validateBySchema(
    {
      declared: { spec: { b: 2 } },
      stored: { spec: { a: ["x"], b: 2 } },
      before: before === undefined ? undefined : { spec: parse(before) },
      isConverted: before === undefined,
      metadata: { name: "a" },
    },
    parse("{properties: {spec: {properties: {a: {type: array, minItems: 2}, b: {maximum: 2}}}}}"),
    { isOpen: () => false, budget: createPlanBudget(), hasMisfits: false },
  );
  expect(violations.map(({ path }) => path.join("."))).toEqual(expected);
});

test.each<[string, readonly string[]]>([
  ["{name: a, labels: {a.b/c: '', x: Y_1}, annotations: {Upper.Case/name: any thing}}", ["?"]],
  [
    "{name: a, labels: {Not a key: x, team: a b}}",
    [
      `metadata.labels has "Not a key", which isn't a valid label key`,
      "metadata.labels.team isn't a valid label value",
      "?",
    ],
  ],
  [
    "{name: a, annotations: {a/b/c: x}}",
    [`metadata.annotations has "a/b/c", which isn't a valid annotation key`, "?"],
  ],
])("the labels and annotations of an object: %s", (metadata, expected) => {
  const found = judge("{properties: {}}", "{}", metadata);
  expect(found.map((each) => (each.startsWith("?") ? "?" : each))).toEqual(expected);
});

test.each<[string, string, readonly string[]]>([
  ["has no fields", "{type: object}", ["unknown spec"]],
  ["keeps all fields", "{type: object, x-kubernetes-preserve-unknown-fields: true}", []],
  [
    "has a field that can contain anything",
    "{type: object, properties: {spec: {type: object}}}",
    [],
  ],
])("an object of a version that %s", (_, schema, expected) => {
  const definition = parse(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec: {group: a.b, names: {kind: A}, versions: [{name: v1, schema: {openAPIV3Schema: ${schema}}}]}
`);
  const type = customTypes([definition], "any")("a.b/v1/A");
  const object = { apiVersion: "a.b/v1", kind: "A", metadata: { name: "a" }, spec: { b: 1 } };
  const found = type && schemaViolations(object, type, () => false);
  expect(found?.map(({ misfit, path }) => `${misfit} ${path.join(".")}`)).toEqual(expected);
});
