import type { ParamDeclaration, ParamType } from "../model/config.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { GivenParam } from "./parse-params.ts";
import { kindOf, type YamlNode } from "./yaml/node.ts";
import { readYaml } from "./yaml/read.ts";
import { described, optional, record, required, text } from "./yaml/shape.ts";

/**
 * Converts a given value to its declared type, or returns a problem. Problems never repeat the
 * value, because it can be a secret.
 */
export function readTyped(declaration: ParamDeclaration, given: GivenParam): Result<Json> {
  const node = given.by === "inline" ? readInline(declaration, given) : ok(given.value);
  if (!node.ok) return node;
  if (declaration.type === "secret" && node.value.kind === "map") return readSecret(node.value);
  const value = lossless(declaration.type, node.value);
  return value === undefined ? failed([mismatch(declaration, given, node.value)]) : ok(value);
}

/** Reads an inline value. It is a string; lists and objects are YAML or JSON in it. */
function readInline({ type, where }: ParamDeclaration, given: GivenParam): Result<YamlNode> {
  const structured = type === "array" || type === "object" || type === "secret";
  if (!structured || given.value.kind !== "scalar") return ok(given.value);
  const read = readYaml(given.value.where.file, given.value.source);
  if (read.ok) return read;
  const [first] = read.problems as [Problem];
  const what = `The value of --param ${given.name} cannot be read: ${first.what}`;
  return failed([
    {
      code: "invalid-input",
      where: [where],
      what,
      fix: `Write it as JSON: ${asJson(given.name, type)}`,
      inputs: [`param: ${given.name}=…`],
    },
  ]);
}

function asJson(name: string, type: ParamType): string {
  if (type === "array") return `--param '${name}=["one", "two"]'`;
  return type === "object"
    ? `--param '${name}={"name": "value"}'`
    : `--param '${name}={"key": "…", "version": "…"}'`;
}

const secretShape = record({
  key: described(
    "Where the secret is stored, never the secret itself.",
    required(text, "and the name under which the secret is stored"),
  ),
  version: described("Of the secret in its store.", optional(text)),
});

function readSecret(node: YamlNode): Result<Json> {
  const problems: Problem[] = [];
  const secret = secretShape(node, "secret", problems);
  if (secret === undefined || problems.length > 0) return failed(problems);
  const { key, version } = secret;
  return ok({ key: key.value, ...(version === undefined ? {} : { version: version.value }) });
}

/** The JSON Schemas of the values that a params file can contain for each type. */
export const typeSchemas: Readonly<Record<ParamType, JsonObject>> = {
  string: { type: "string" },
  int: {
    type: ["integer", "string"],
    pattern: "^-?(0|[1-9]\\d*)$",
    patternErrorMessage: "This must be a whole number",
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  bool: { anyOf: [{ type: "boolean" }, { enum: ["true", "false"] }] },
  array: { type: "array" },
  object: { type: "object" },
  secret: secretShape.schema,
};

const wholeNumber = /^-?(0|[1-9]\d*)$/;

/** Returns the value if the conversion loses nothing; undefined for another type. */
function lossless(type: ParamType, node: YamlNode): Json | undefined {
  if (type === "array") return node.kind === "list" ? toJson(node) : undefined;
  if (type === "object") return node.kind === "map" ? toJson(node) : undefined;
  if (node.kind !== "scalar") return undefined;
  const { value } = node;
  if (type === "string") return typeof value === "string" ? value : undefined;
  if (type === "bool") {
    if (value === "true" || value === "false") return value === "true";
    return typeof value === "boolean" ? value : undefined;
  }
  if (type === "int") {
    const number = typeof value === "string" && wholeNumber.test(value) ? Number(value) : value;
    return Number.isSafeInteger(number) ? number : undefined;
  }
  return undefined;
}

const expected: Readonly<Record<ParamType, string>> = {
  string: "text",
  int: "a whole number",
  bool: "true or false",
  array: "a list",
  object: "a map",
  secret: "a map of key and version",
};

function mismatch(declaration: ParamDeclaration, given: GivenParam, node: YamlNode): Problem {
  const found = kindOf(node);
  const named =
    given.by === "inline" ? `The value of --param ${given.name}` : `The parameter "${given.name}"`;
  const what = `${named} must be ${expected[declaration.type]}, but is ${found}`;
  const where = given.by === "inline" ? [declaration.where] : [node.where, declaration.where];
  const problem = { code: "invalid-parameter", where, what } as const;
  const fix = fixFor(declaration, given, node);
  const inputs = [`param: ${given.name}=…`];
  return given.by === "inline" ? { ...problem, fix, inputs } : { ...problem, fix };
}

function fixFor({ name, type }: ParamDeclaration, given: GivenParam, node: YamlNode): string {
  const isEmpty = node.kind === "scalar" && node.value === null;
  const isText = node.kind === "scalar" && typeof node.value === "string";
  if (type === "secret") {
    return "Write {key: …, version: …}: where the secret is stored, never the secret itself";
  }
  if (type === "string" && node.kind === "scalar") {
    return isEmpty ? 'Give it a text; "" is an empty one' : "Quote the value";
  }
  if (given.by === "inline" && (type === "array" || type === "object")) {
    return `Write it as JSON: ${asJson(name, type)}`;
  }
  if (type === "bool" && isText) {
    return "Write true or false; yes, no, on and off are text in YAML 1.2";
  }
  if (type === "int" && isLarge(node)) return "Give a whole number below 2^53, or declare a string";
  return `Give ${expected[type]}, or declare another type`;
}

function isLarge(node: YamlNode): boolean {
  return node.kind === "scalar" && wholeNumber.test(String(node.value));
}

/**
 * Returns the plain value of a node. With `Object.fromEntries`, a key called `__proto__` stays an
 * ordinary key.
 */
export function toJson(node: YamlNode): Json {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(toJson);
    case "map":
      return Object.fromEntries(node.entries.map(({ name, value }) => [name, toJson(value)]));
  }
}
