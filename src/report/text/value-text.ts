import type { Json } from "../../model/json.ts";
import { shorten } from "../../redaction/wrap.ts";

/** Returns a value on one line, shortened to a readable length. */
export function valueText(value: Json): string {
  return shorten(typeof value === "string" ? value : JSON.stringify(value), 60, 57);
}

/** Returns different strings for two different values: the number 80 isn't the string "80". */
export function valueTexts(one: Json, other: Json): readonly [string, string] {
  const [first, second] = [valueText(one), valueText(other)];
  if (first !== second) return [first, second];
  return [shorten(JSON.stringify(one), 60, 57), shorten(JSON.stringify(other), 60, 57)];
}
