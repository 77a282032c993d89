import { fieldOf, type Json, type JsonObject } from "../../model/json.ts";

type Op = "<" | "<=" | ">" | ">=" | "==" | "!=" | "=~" | "!~";

/**
 * Converts a CUE bound to JSON Schema keywords. A bound of a string has none, so it is a comment.
 */
export function boundConstraint(op: Op, value: Json): JsonObject {
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
export function callConstraint(name: string, [argument]: readonly Json[]): JsonObject | undefined {
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
