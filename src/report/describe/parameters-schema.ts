import { fieldOf, type Json, type JsonObject } from "../../model/json.ts";
import type {
  AdapterDescription,
  Parameter,
  Shape,
  StructShape,
} from "../../model/sources/description.ts";
import { adapterParagraphs } from "./adapter-facts.ts";
import { isMap, splitKinds, typeText } from "./type-text.ts";

/**
 * Returns a JSON Schema (draft 2020-12) of an adapter's params.
 * It accepts everything that the adapter accepts. JSON Schema can't express some rules, such as
 * conditions and bounds that depend on other params. `$comment` names them.
 */
export function parametersSchema(adapter: AdapterDescription): JsonObject {
  const { pattern, parameters, conditions } = adapter;
  const rules = conditions.map(({ text }) => text.replaceAll(/\s+/g, " "));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: pattern,
    ...described(adapterParagraphs(adapter).join("\n\n")),
    ...commented(rules.length === 0 ? [] : [`Further rules: ${rules.join("; ")}`]),
    ...structSchema(parameters),
  };
}

function described(text: string): JsonObject {
  return text === "" ? {} : { description: text };
}

function commented(notes: readonly string[]): JsonObject {
  return notes.length === 0 ? {} : { $comment: notes.join("; ") };
}

function parameterSchema(parameter: Parameter): JsonObject {
  const { shape, presence, position, default: value, computed, doc = "" } = parameter;
  const schema = presence === "conditional" ? {} : shapeSchema(shape);
  const place = position && `${position.file}:${position.line}:${position.column}`;
  const notes = [
    place,
    presence === "conditional" ? `declared only under a condition, as ${typeText(shape)}` : "",
    computed === undefined ? "" : `computed: ${computed}`,
    schema["$comment"],
  ].filter((note): note is string => typeof note === "string" && note !== "");
  return {
    ...described(doc.trim()),
    ...schema,
    ...(presence === "default" && value !== undefined ? { default: value } : {}),
    ...commented(notes),
  };
}

function shapeSchema(shape: Shape): JsonObject {
  switch (shape.is) {
    case "any":
      return {};
    case "kinds":
      return typeSchema(shape.kinds);
    case "value":
      return { const: shape.value };
    case "either":
      return eitherSchema(shape.of);
    case "all":
      return allSchema(shape.of.map(shapeSchema));
    case "bound":
      return { ...typeSchema(shape.kinds), ...boundConstraint(shape.op, shape.value) };
    case "call":
      return {
        ...typeSchema(shape.kinds),
        ...(callConstraint(shape.op, shape.args ?? []) ?? commented([typeText(shape)])),
      };
    case "struct":
      return structSchema(shape);
    case "list":
      return listSchema(shape.of ?? [], shape.rest);
    case "source":
      return { ...typeSchema(shape.kinds), ...commented([typeText(shape)]) };
    case "again":
      return {
        ...typeSchema(shape.kinds),
        ...commented([`${typeText(shape)} isn't repeated here`]),
      };
  }
}

const jsonTypes: Readonly<Record<string, string>> = {
  string: "string",
  int: "integer",
  float: "number",
  number: "number",
  bool: "boolean",
  null: "null",
  struct: "object",
  list: "array",
};

/** Returns the type of a kind. JSON has no form for CUE's bytes, so their schema is empty. */
function typeSchema(kinds: string | undefined): JsonObject {
  const names = splitKinds(kinds);
  const types = names.flatMap((kind) => fieldOf(jsonTypes, kind) ?? []);
  if (types.length === 0 || types.length < names.length) return {};
  const type = types.length === 1 ? (types[0] ?? null) : types;
  // In CUE, 3 isn't a float.
  return names.length === 1 && names[0] === "float" ? { type, not: { type: "integer" } } : { type };
}

/** Reports whether a shape from other params adds nothing to a type that already allows it. */
function isCovered(shape: Shape, all: readonly Shape[]): boolean {
  if (shape.is !== "source" || shape.kinds === undefined) return false;
  const kinds = splitKinds(shape.kinds);
  return all.some(
    (other) =>
      other.is === "kinds" && kinds.every((kind) => splitKinds(other.kinds).includes(kind)),
  );
}

function eitherSchema(shapes: readonly Shape[]): JsonObject {
  const values = shapes.flatMap((shape) => (shape.is === "value" ? [shape.value] : []));
  const others = shapes.filter((each) => each.is !== "value" && !isCovered(each, shapes));
  const choices = [
    ...(values.length > 1 ? [{ enum: values }] : values.map((v) => ({ const: v }))),
    ...others.map(shapeSchema),
  ];
  const [only] = choices;
  return only !== undefined && choices.length === 1 ? only : { anyOf: choices };
}

/**
 * Merges schemas into one object unless a keyword conflicts. People would write one object, too.
 */
function allSchema(parts: readonly JsonObject[]): JsonObject {
  let whole: JsonObject = {};
  const apart: JsonObject[] = [];
  for (const part of parts) {
    const merged = merge(whole, part);
    if (merged === undefined) apart.push(part);
    else whole = merged;
  }
  return apart.length === 0 ? whole : { ...whole, allOf: apart };
}

function merge(a: JsonObject, b: JsonObject): JsonObject | undefined {
  const merged = new Map(Object.entries(a));
  for (const [keyword, value] of Object.entries(b)) {
    const before = merged.get(keyword);
    if (before === undefined || same(before, value)) merged.set(keyword, value);
    else if (keyword === "$comment" && typeof before === "string" && typeof value === "string")
      merged.set(keyword, `${before}; ${value}`);
    // A bound applies to every number and adds no type to an integer.
    else if (keyword === "type" && before === "integer" && isNumeric(value)) continue;
    else return undefined;
  }
  return Object.fromEntries(merged);
}

function isNumeric(type: Json): boolean {
  return type === "number" || same(type, ["integer", "number"]) || same(type, ["number", "string"]);
}

function same(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function structSchema(shape: StructShape): JsonObject {
  const { fields = [], patterns = [], closed = false } = shape;
  const required = fields.filter(({ presence }) => presence === "required");
  const properties = fields.map((field) => [field.name, parameterSchema(field)] as const);
  return {
    type: "object",
    ...(fields.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
    ...(required.length === 0 ? {} : { required: required.map(({ name }) => name) }),
    ...otherFields(shape, patterns, closed),
  };
}

/**
 * Returns the schema of the fields without a name. Named fields already include matching patterns.
 */
function otherFields(
  shape: StructShape,
  patterns: readonly { readonly key: Shape; readonly value: Shape }[],
  closed: boolean,
): JsonObject {
  const anyKey = patterns.filter(({ key }) => key.is === "kinds" && key.kinds === "string");
  const byName = patterns.flatMap(({ key, value }) => {
    const expression =
      key.is === "bound" && key.op === "=~"
        ? boundConstraint("=~", key.value)["pattern"]
        : undefined;
    return typeof expression === "string" ? [[expression, shapeSchema(value)] as const] : [];
  });
  const isUnderstood = anyKey.length + byName.length === patterns.length;
  const others = allSchema(anyKey.map(({ value }) => shapeSchema(value)));
  const isConstrained = Object.keys(others).length > 0;
  return {
    ...(byName.length === 0 ? {} : { patternProperties: Object.fromEntries(byName) }),
    ...(isConstrained ? { additionalProperties: others } : {}),
    ...(closed && isUnderstood && anyKey.length === 0 ? { additionalProperties: false } : {}),
    ...(isUnderstood || (isMap(shape) && isUnderstood)
      ? {}
      : commented([typeText({ ...shape, fields: [] })])),
  };
}

/** Returns the schema of a list. Elements with their own shape are all required. */
function listSchema(of: readonly Shape[], rest: Shape | undefined): JsonObject {
  const first = of.length === 0 ? {} : { prefixItems: of.map(shapeSchema), minItems: of.length };
  const further = rest === undefined ? false : shapeSchema(rest);
  const isAny = further !== false && Object.keys(further).length === 0;
  return { type: "array", ...first, ...(isAny ? {} : { items: further }) };
}

type Op = "<" | "<=" | ">" | ">=" | "==" | "!=" | "=~" | "!~";

/**
 * Converts a CUE bound to JSON Schema keywords. A bound of a string has none, so it is a comment.
 */
function boundConstraint(op: Op, value: Json): JsonObject {
  const comment = { $comment: `${op}${JSON.stringify(value)}` };
  switch (op) {
    case "==":
      return { const: value };
    case "!=":
      return { not: { const: value } };
    case "=~":
      return patternKeyword(value) ?? comment;
    case "!~": {
      const pattern = patternKeyword(value);
      return pattern === undefined ? comment : { not: pattern };
    }
    default:
      return typeof value === "number" ? { [limits[op]]: value } : comment;
  }
}

const limits = {
  "<": "exclusiveMaximum",
  "<=": "maximum",
  ">": "exclusiveMinimum",
  ">=": "minimum",
} as const;

/**
 * Converts a validator of CUE's standard library to keywords. Undefined if JSON Schema has none.
 */
function callConstraint(name: string, [argument]: readonly Json[]): JsonObject | undefined {
  if (name === "list.UniqueItems" || name === "list.UniqueItems()") return { uniqueItems: true };
  if (argument === undefined) return undefined;
  const keyword = fieldOf(counts, name);
  if (keyword !== undefined && typeof argument === "number") return { [keyword]: argument };
  if (typeof argument !== "string") return undefined;
  switch (name) {
    case "strings.HasPrefix":
      return { pattern: `^${escaped(argument)}` };
    case "strings.HasSuffix":
      return { pattern: `${escaped(argument)}$` };
    case "strings.Contains":
      return { pattern: escaped(argument) };
    default:
      return undefined;
  }
}

/**
 * The keyword of each counting validator.
 * `struct.MinFields` isn't included: fields with defaults count in CUE, but not in JSON Schema.
 */
const counts: Readonly<Record<string, string>> = {
  "strings.MinRunes": "minLength",
  "strings.MaxRunes": "maxLength",
  "list.MinItems": "minItems",
  "list.MaxItems": "maxItems",
  "math.MultipleOf": "multipleOf",
};

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/**
 * Converts a regular expression of CUE, whose syntax is Go's.
 * Returns undefined if JavaScript can't parse it or would interpret it differently.
 */
function patternKeyword(value: Json): JsonObject | undefined {
  if (typeof value !== "string" || /\(\?[^:]|\\[AzZQECpPsSaG]|\[\[:|\\x\{/.test(value))
    return undefined;
  try {
    new RegExp(value, "u");
  } catch {
    return undefined;
  }
  return { pattern: value };
}
