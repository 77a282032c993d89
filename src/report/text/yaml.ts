import { isScalar, type Pair, stringify } from "yaml";
import type { Json } from "../../model/json.ts";

/** What a reader looks for first in a manifest and in its list items; everything else follows by the alphabet. */
const leadingKeys = ["apiVersion", "kind", "name", "namespace", "metadata", "spec"];

/**
 * Byte-stable YAML: keys sorted, no line folding, no anchors. Strings that YAML 1.1 readers, kubectl among them, would take
 * for a boolean or a number are quoted.
 */
export function toYaml(value: Json): string {
  return stringify(value, yamlOptions);
}

export const yamlOptions = {
  aliasDuplicateObjects: false,
  compat: "yaml-1.1",
  lineWidth: 0,
  sortMapEntries: (a: Pair, b: Pair) => compareKeys(keyOf(a), keyOf(b)),
} as const;

function compareKeys(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || (a < b ? -1 : Number(a > b));
}

function rankOf(key: string): number {
  const rank = leadingKeys.indexOf(key);
  return rank < 0 ? leadingKeys.length : rank;
}

function keyOf(pair: Pair): string {
  return String(isScalar(pair.key) ? pair.key.value : pair.key);
}
