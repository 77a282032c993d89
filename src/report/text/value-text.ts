import type { Json } from "../../model/json.ts";
import { shorten } from "../../redaction/graphemes.ts";

/** A value on one line, as long as one can be read there. */
export function valueText(value: Json): string {
  return shorten(typeof value === "string" ? value : JSON.stringify(value), 60, 57);
}

/** Two values that differ, so that their texts do as well: the number 80 is not the text "80". */
export function valueTexts(one: Json, other: Json): readonly [string, string] {
  const [first, second] = [valueText(one), valueText(other)];
  if (first !== second) return [first, second];
  return [shorten(JSON.stringify(one), 60, 57), shorten(JSON.stringify(other), 60, 57)];
}
