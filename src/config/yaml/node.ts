import type { Position } from "../../model/problems/problem.ts";

/**
 * YAML as plain data that remembers where everything stands, so that any later stage can point at the line that is
 * wrong. Aliases are already replaced by what they stand for.
 */
export type YamlNode = YamlScalar | YamlList | YamlMap;

export interface YamlScalar {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** As written, quotes and block indentation included: `1.10` is still 1.10 here. */
  readonly source: string;
  readonly where: Position;
}

interface YamlList {
  readonly kind: "list";
  readonly items: readonly YamlNode[];
  readonly where: Position;
}

export interface YamlMap {
  readonly kind: "map";
  readonly entries: readonly YamlEntry[];
  readonly where: Position;
}

export interface YamlEntry {
  readonly key: YamlScalar;
  readonly name: string;
  readonly value: YamlNode;
}

/** What a node is called in a sentence: "must be a list, not a map". Values are left out: they may be secret. */
export function kindOf(node: YamlNode): string {
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "a map";
  if (node.value === null) return "empty";
  if (typeof node.value === "string") return "text";
  if (typeof node.value === "boolean") return "true or false";
  return Number.isInteger(node.value) ? "a whole number" : "a decimal number";
}

/** The places of characters of a scalar's source, in one pass: there can be very many. `offsets` ascend. */
export function placesWithin(scalar: YamlScalar, offsets: readonly number[]): readonly Position[] {
  const { file } = scalar.where;
  let { line, column } = scalar.where;
  let at = 0;
  return offsets.map((offset) => {
    for (; at < offset; at += 1) {
      const newLine = scalar.source[at] === "\n";
      line += newLine ? 1 : 0;
      column = newLine ? 1 : column + 1;
    }
    return { file, line, column };
  });
}
