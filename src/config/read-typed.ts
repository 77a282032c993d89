import type { Json, JsonObject } from "../model/json.ts";
import { type Fixes, failed, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { ParamDeclaration, ParamType } from "../model/sources/config.ts";
import { describeNodeType, type YamlNode } from "../model/sources/yaml-node.ts";
import type { GivenParam } from "./parse-params.ts";
import { readYaml } from "./yaml/read.ts";
import { described, optional, record, required, text } from "./yaml/shape.ts";

/**
 * Converts a given value to its declared type, or returns a problem. Problems never repeat the
 * value, because it can be a secret.
 */
export function readTyped(declaration: ParamDeclaration, given: GivenParam): Result<Json> {
  const node = given.origin === "inline" ? readInline(declaration, given) : ok(given.value);
  if (!node.ok) return node;
  if (declaration.type === "secret" && node.value.kind === "map") return readSecret(node.value);
  const value = convertLosslessly(declaration.type, node.value);
  return value === undefined ? failed([typeProblem(declaration, given, node.value)]) : ok(value);
}

/** Reads an inline value. It is a string; lists and objects are YAML or JSON in it. */
function readInline({ type, where }: ParamDeclaration, given: GivenParam): Result<YamlNode> {
  const structured = type === "array" || type === "object" || type === "secret";
  if (!structured || given.value.kind !== "scalar") return ok(given.value);
  const read = readYaml(given.value.where.file, given.value.source);
  if (read.ok) return read;
  const [first] = read.problems as [Problem];
  return failed([
    {
      code: "invalid-input",
      where: [where],
      what: `"--param ${given.name}" can't be read as YAML`,
      why: first.what,
      fix: `Write it as JSON: ${jsonExample(given.name, type)}`,
      inputs: [`param: ${given.name}=…`],
    },
  ]);
}

function jsonExample(name: string, type: ParamType): string {
  if (type === "array") return `--param '${name}=["one", "two"]'`;
  return type === "object"
    ? `--param '${name}={"name": "value"}'`
    : `--param '${name}={"key": "…", "version": "…"}'`;
}

const secretShape = record({
  key: described(
    "Name of the secret in its store, never the secret itself.",
    required(text, "with the name under which the secret is stored"),
  ),
  version: described("Version of the secret in its store.", optional(text)),
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
    patternErrorMessage: "This isn't an integer",
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  bool: { anyOf: [{ type: "boolean" }, { enum: ["true", "false"] }] },
  array: { type: "array" },
  object: { type: "object" },
  secret: secretShape.schema,
};

const integerPattern = /^-?(0|[1-9]\d*)$/;

/** Returns the value if the conversion loses nothing; undefined for another type. */
function convertLosslessly(type: ParamType, node: YamlNode): Json | undefined {
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
    const number = typeof value === "string" && integerPattern.test(value) ? Number(value) : value;
    return Number.isSafeInteger(number) ? number : undefined;
  }
  return undefined;
}

const expectedTypes: Readonly<Record<ParamType, string>> = {
  string: "a string",
  int: "an integer",
  bool: "a boolean",
  array: "a list",
  object: "an object",
  secret: "an object with key and version",
};

function typeProblem(declaration: ParamDeclaration, given: GivenParam, node: YamlNode): Problem {
  const isInline = given.origin === "inline";
  const named = isInline ? `"--param ${given.name}"` : `Parameter "${given.name}"`;
  return {
    code: "invalid-parameter",
    where: isInline ? [declaration.where] : [node.where, declaration.where],
    what: `${named} isn't ${expectedTypes[declaration.type]}`,
    facts: [{ label: "found", value: describeNodeType(node) }],
    ...typeFixes(declaration, given, node),
    ...(isInline ? { inputs: [`param: ${given.name}=…`] } : {}),
  };
}

function typeFixes({ name, type }: ParamDeclaration, given: GivenParam, node: YamlNode): Fixes {
  const isEmpty = node.kind === "scalar" && node.value === null;
  const isText = node.kind === "scalar" && typeof node.value === "string";
  if (type === "secret") {
    return {
      fix: "Write {key: …, version: …} with the name of the secret in its store, never the secret itself",
    };
  }
  if (type === "string" && node.kind === "scalar") {
    return { fix: isEmpty ? 'Write a string; "" is the empty string' : "Quote the value" };
  }
  if (given.origin === "inline" && (type === "array" || type === "object")) {
    return { fix: `Write it as JSON: ${jsonExample(name, type)}` };
  }
  if (type === "bool" && isText) {
    return { fix: "Write true or false; yes, no, on and off are strings in YAML 1.2" };
  }
  if (type === "int" && isLargeInteger(node)) {
    return { fix: "Write an integer below 2^53", otherwise: ["declare the type string"] };
  }
  return { fix: `Write ${expectedTypes[type]}`, otherwise: ["declare another type"] };
}

function isLargeInteger(node: YamlNode): boolean {
  return node.kind === "scalar" && integerPattern.test(String(node.value));
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
