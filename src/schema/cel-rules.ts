import { Environment } from "@marcbachmann/cel-js";
import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
} from "../model/json.ts";
import { workOf } from "./cel-cost.ts";
import { matchesPattern } from "./pattern.ts";
import type { Violation } from "./structural.ts";

type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | CelValue[]
  | { [name: string]: CelValue };

/** More of one object help nobody. */
const mostOfOne = 20;
/** In steps, for all rules of one object: rules are written by whoever writes the definition. */
const mostWork = 2_000_000;
/** To find out that a rule is too much is work, too. */
const passingOver = 10_000;
const longestRule = 4_096;

/**
 * The rules of a definition in CEL (`x-kubernetes-validations`) that a value breaks. A rule that can't be evaluated here is passed over, as one
 * that compares with the former value, or uses what only the API server has in its CEL (quantities, URLs, addresses).
 */
export function brokenRules(
  value: Json,
  schema: JsonObject,
  isOpen: (value: Json) => boolean,
): readonly Violation[] {
  return [
    ...brokenAt(value, schema, [], { isOpen, evaluator: evaluator(), left: mostWork }).take(
      mostOfOne,
    ),
  ];
}

interface Context {
  readonly isOpen: (value: Json) => boolean;
  readonly evaluator: Environment;
  /** What of the work may still be done. */
  left: number;
}

function* brokenAt(
  value: Json,
  schema: JsonObject,
  path: readonly string[],
  context: Context,
): Generator<Violation> {
  if (value === null) return;
  for (const rule of listAt(schema, "x-kubernetes-validations")) {
    const text = textAt(rule, "rule") ?? "";
    if (holdsOpen(value, context.isOpen) || !isBroken(text, value, schema, context)) continue;
    const message = textAt(rule, "message") ?? `breaks the rule ${text}`;
    const told = [...path, ...pathIn(textAt(rule, "fieldPath"))];
    yield { path: told, judged: path, what: `is refused: ${message}` };
  }
  for (const [name, inner, below] of partsOf(value, schema)) {
    yield* brokenAt(inner, below, [...path, name], context);
  }
}

function partsOf(
  value: Json,
  schema: JsonObject,
): readonly (readonly [name: string, value: Json, schema: JsonObject])[] {
  const { items, properties, additionalProperties } = schema;
  if (isList(value) && isObject(items)) {
    return value.map((item, index) => [String(index), item, items] as const);
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = isObject(properties) ? fieldOf(properties, name) : undefined;
    const below = own ?? additionalProperties;
    return isObject(below) ? [[name, inner, below] as const] : [];
  });
}

function holdsOpen(value: Json, isOpen: (value: Json) => boolean): boolean {
  if (isList(value)) return value.some((item) => holdsOpen(item, isOpen));
  if (isObject(value)) return Object.values(value).some((item) => holdsOpen(item, isOpen));
  return isOpen(value);
}

/** `.spec.hosts` or `['a-b']`, as definitions write it. */
function pathIn(fieldPath: string | undefined): readonly string[] {
  return [...(fieldPath ?? "").matchAll(/\.([\w-]+)|\['([^']+)'\]/g)].map(
    ([, name, quoted]) => name ?? quoted ?? "",
  );
}

/** Only what is evaluated to false breaks a rule: what fails otherwise may be a matter of this evaluator. */
function isBroken(rule: string, value: Json, schema: JsonObject, context: Context): boolean {
  if (rule.length > longestRule || context.left <= 0) return false;
  try {
    const expression = context.evaluator.parse(rule.replaceAll(/\.matches\(/g, ".matchesRe2("));
    const work = rule.length + workOf(expression.ast, value);
    const isTooMuch = work > context.left;
    context.left -= isTooMuch ? passingOver : work;
    if (isTooMuch) return false;
    return expression({ self: celValue(value, schema) }) === false;
  } catch {
    return false;
  }
}

/** RE2 as in the API server, instead of what JavaScript takes for ever for. */
function evaluator(): Environment {
  return new Environment()
    .registerVariable("self", "dyn")
    .registerFunction("string.matchesRe2(string): bool", (text: string, pattern: string) => {
      const isMatch = matchesPattern(text, pattern);
      if (isMatch === undefined) throw new Error("This pattern is not judged here");
      return isMatch;
    });
}

/** Whole numbers are ints, but where the schema has a number; names are escaped as the API server escapes them. */
function celValue(value: Json, schema: JsonObject | undefined): CelValue {
  if (typeof value === "number") {
    const isInt = Number.isInteger(value) && textAt(schema, "type") !== "number";
    return isInt ? BigInt(value) : value;
  }
  if (isList(value)) {
    const items = at(schema, "items");
    return value.map((item) => celValue(item, isObject(items) ? items : undefined));
  }
  if (!isObject(value)) return value;
  const properties = at(schema, "properties");
  const others = at(schema, "additionalProperties");
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const own = isObject(properties) ? fieldOf(properties, name) : undefined;
      const below = own ?? others;
      const shown = own === undefined ? name : escaped(name);
      return [shown, celValue(item, isObject(below) ? below : undefined)];
    }),
  );
}

function escaped(name: string): string {
  if (keywords.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}

const keywords: ReadonlySet<string> = new Set([
  ...["true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function"],
  ...["if", "import", "let", "loop", "package", "namespace", "return"],
]);
