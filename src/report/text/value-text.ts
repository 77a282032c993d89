import type { Json } from "../../model/json.ts";
import { shorten } from "../../redaction/graphemes.ts";

/** A value on one line, as long as one can be read there. */
export function valueText(value: Json): string {
  return shorten(typeof value === "string" ? value : JSON.stringify(value), 60, 57);
}
