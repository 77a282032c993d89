import { fieldOf, isList, isObject, type Json, type JsonObject, textAt } from "../model/json.ts";
import { type CelValue, toCelValue, unknownValue } from "./cel-evaluator.ts";

/**
 * Converts a value to the form that the rules of a definition see.
 * Integers are ints, except where the schema has a number. Names are escaped as in the API server.
 * Strings of some formats aren't strings.
 */
export function celValueBySchema(value: Json, schema: JsonObject | undefined): CelValue {
  if (typeof value === "number") {
    return textAt(schema, "type") === "number" ? value : toCelValue(value);
  }
  if (typeof value === "string")
    return isPlainString(textAt(schema, "format")) ? value : unknownValue();
  if (isList(value)) {
    const items = schema?.["items"];
    return value.map((item) => celValueBySchema(item, isObject(items) ? items : undefined));
  }
  if (!isObject(value)) return value;
  const properties = schema?.["properties"];
  const others = schema?.["additionalProperties"];
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const own = isObject(properties) ? fieldOf(properties, name) : undefined;
      const below = own ?? others;
      const shown = own === undefined ? name : escapeName(name);
      return [shown, celValueBySchema(item, isObject(below) ? below : undefined)];
    }),
  );
}

/**
 * Reports whether strings of this format stay strings.
 * The API server converts some formats to times, durations or bytes. It ignores dashes in format
 * names.
 */
function isPlainString(format: string | undefined): boolean {
  return !["date", "datetime", "duration", "byte"].includes(format?.replaceAll("-", "") ?? "");
}

function escapeName(name: string): string {
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
