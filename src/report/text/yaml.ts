import { Document, isScalar, type Pair, visit } from "yaml";
import type { Json } from "../../model/json.ts";

/** The first keys in a manifest and in list items. All other keys follow alphabetically. */
const leadingKeys = ["apiVersion", "kind", "name", "namespace", "metadata", "spec"];

const exact = { aliasDuplicateObjects: false, compat: "yaml-1.1", lineWidth: 0 } as const;

export const yamlOptions = {
  ...exact,
  sortMapEntries: (a: Pair, b: Pair) => compareKeys(pairKey(a), pairKey(b)),
} as const;

/**
 * Returns YAML with sorted keys, without line folding or anchors. The same input gives the same
 * bytes.
 * It quotes strings that YAML 1.1 readers such as kubectl would read as a boolean or a number. It
 * also quotes strings of white space, because readers would drop the spaces of a block.
 */
export function toYaml(value: Json): string {
  return write(value, yamlOptions);
}

/** Returns YAML with the keys in their given order. */
export function toUnsortedYaml(value: Json): string {
  return write(value, exact);
}

function write(value: Json, options: typeof exact | typeof yamlOptions): string {
  const document = new Document(value, options);
  visit(document, {
    Scalar: (_, scalar) => {
      if (isBlankLines(scalar.value) || isUnprintable(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return escapeUnprintable(document.toString(options));
}

function isBlankLines(value: unknown): boolean {
  return typeof value === "string" && value.includes("\n") && value.trim() === "";
}

/**
 * YAML 1.1 breaks lines at NEL, LS and PS. It forbids other control characters and byte order marks
 * outside of escapes.
 */
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;

function isUnprintable(value: unknown): boolean {
  return typeof value === "string" && unprintable.test(value);
}

/**
 * Escapes the characters that the library leaves in double-quoted strings because JSON allows them.
 */
function escapeUnprintable(yaml: string): string {
  return yaml.replace(
    new RegExp(unprintable, "g"),
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function compareKeys(a: string, b: string): number {
  return keyRank(a) - keyRank(b) || (a < b ? -1 : Number(a > b));
}

function keyRank(key: string): number {
  const rank = leadingKeys.indexOf(key);
  return rank < 0 ? leadingKeys.length : rank;
}

function pairKey(pair: Pair): string {
  return String(isScalar(pair.key) ? pair.key.value : pair.key);
}
