import { fieldOf, type Json, type JsonObject } from "../../model/json.ts";

type Op = "<" | "<=" | ">" | ">=" | "==" | "!=" | "=~" | "!~";

/** A bound of CUE as keywords of JSON Schema. Bounds of strings have none, so they are a comment. */
export function constraintOfBound(op: Op, value: Json): JsonObject {
  const comment = { $comment: `${op}${JSON.stringify(value)}` };
  switch (op) {
    case "==":
      return { const: value };
    case "!=":
      return { not: { const: value } };
    case "=~":
      return patternOf(value) ?? comment;
    case "!~": {
      const pattern = patternOf(value);
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

/** A validator of CUE's standard library as keywords; undefined for those that JSON Schema has no word for. */
export function constraintOfCall(
  name: string,
  [argument]: readonly Json[],
): JsonObject | undefined {
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

/** `struct.MinFields` is not among them: fields that have defaults count for CUE, and not for JSON Schema. */
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

/** CUE's expressions are Go's: what JavaScript does not understand, or understands otherwise, cannot be said. */
function patternOf(value: Json): JsonObject | undefined {
  if (typeof value !== "string" || /\(\?[^:]|\\[AzZQECpPsSaG]|\[\[:|\\x\{/.test(value))
    return undefined;
  try {
    new RegExp(value, "u");
  } catch {
    return undefined;
  }
  return { pattern: value };
}
