import { type HealthRule, healthExpressions } from "../model/health-rule.ts";
import { fieldOf, isList, isObject, type Json } from "../model/json.ts";

const fields: ReadonlySet<string> = new Set(["groups", "kinds", ...healthExpressions]);

/** Parses a rule of `rules/*.yaml`. Returns an error message if it has another form. */
export function parseHealthRule(entry: Json, source: string): HealthRule | string {
  if (!isObject(entry)) return "it isn't an object";
  const unknown = Object.keys(entry).find((name) => !fields.has(name));
  if (unknown !== undefined) return `the field "${unknown}" is unknown`;
  const groups = stringsOf(fieldOf(entry, "groups"));
  const kinds = stringsOf(fieldOf(entry, "kinds"));
  if (groups === undefined || kinds === undefined) return "it lacks groups or kinds";
  const texts: [string, string][] = [];
  for (const name of healthExpressions) {
    const text = fieldOf(entry, name);
    if (text === undefined) continue;
    // YAML reads the expressions `true` and `false` as booleans.
    if (typeof text !== "string" && typeof text !== "boolean") return `${name} isn't a string`;
    texts.push([name, String(text).trim()]);
  }
  const { current, ...others } = Object.fromEntries(texts);
  if (current === undefined) return "it lacks the expression current";
  return { groups, kinds, ...others, current, source };
}

function stringsOf(value: Json | undefined): readonly string[] | undefined {
  const isValid =
    isList(value) && value.length > 0 && value.every((each) => typeof each === "string");
  return isValid ? value : undefined;
}
