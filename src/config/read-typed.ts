import type { ParamDeclaration, ParamType } from "../model/config.ts";
import type { Json } from "../model/json.ts";
import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import type { GivenParam } from "./parse-params.ts";
import { readYaml } from "./read-yaml.ts";
import { optional, record, required, text } from "./shape.ts";
import { toJson } from "./to-json.ts";
import { kindOf, type YamlNode } from "./yaml-node.ts";

/** A given value as its declared type, or why it has not that type. Values are never repeated: they may be secret. */
export function readTyped(declaration: ParamDeclaration, given: GivenParam): Result<Json> {
  const node = given.by === "inline" ? readInline(declaration.type, given) : ok(given.value);
  if (!node.ok) return node;
  if (declaration.type === "secret" && node.value.kind === "map") return readSecret(node.value);
  const value = lossless(declaration.type, node.value);
  return value === undefined ? failed([mismatch(declaration, given, node.value)]) : ok(value);
}

/** Inline values are text; structures are given as YAML or JSON in it. */
function readInline(type: ParamType, given: GivenParam): Result<YamlNode> {
  const structured = type === "array" || type === "object" || type === "secret";
  if (!structured || given.value.kind !== "scalar") return ok(given.value);
  return readYaml(given.value.where.file, given.value.source);
}

const secretShape = record({ key: required(text), version: optional(text) });

function readSecret(node: YamlNode): Result<Json> {
  const problems: Problem[] = [];
  const secret = secretShape(node, "secret", problems);
  if (secret === undefined || problems.length > 0) return failed(problems);
  const { key, version } = secret;
  return ok({ key: key.value, ...(version === undefined ? {} : { version: version.value }) });
}

const wholeNumber = /^-?(0|[1-9]\d*)$/;

/** The value itself, or what its text says without losing anything; undefined for another type. */
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
  const what = `The parameter "${declaration.name}" must be ${expected[declaration.type]}, but is ${found}`;
  const where = given.by === "inline" ? [declaration.where] : [node.where, declaration.where];
  return { where, what, fix: cure(declaration, node) };
}

function cure({ type }: ParamDeclaration, node: YamlNode): string {
  if (type === "string" && node.kind === "scalar" && node.value !== null) return "Quote the value";
  if (type === "int") return "Give a whole number below 2^53, or declare another type";
  return `Give ${expected[type]}, or declare another type`;
}
