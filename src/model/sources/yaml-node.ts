import type { Position } from "../problems/problem.ts";

/**
 * YAML as plain data with positions, so that any later stage can report the line of an error.
 * Aliases are already replaced by their values.
 */
export type YamlNode = YamlScalar | YamlList | YamlMap;

interface PlacedNode {
  readonly where: Position;
  /** The place of the alias whose value this is. `where` is then the place of its anchor. */
  readonly alias?: Position;
}

export interface YamlScalar extends PlacedNode {
  readonly kind: "scalar";
  readonly value: string | number | boolean | null;
  /** The text as written, with quotes and block indentation. It preserves `1.10`. */
  readonly source: string;
}

interface YamlList extends PlacedNode {
  readonly kind: "list";
  readonly items: readonly YamlNode[];
}

export interface YamlMap extends PlacedNode {
  readonly kind: "map";
  readonly entries: readonly YamlEntry[];
}

export interface YamlEntry {
  readonly key: YamlScalar;
  readonly name: string;
  readonly value: YamlNode;
  /** The place of the merge key `<<` that inserts the entry. */
  readonly merged?: Position;
}

/** Returns the value of a field; undefined if the node isn't an object or lacks it. */
export function fieldNode(node: YamlNode | undefined, name: string): YamlNode | undefined {
  if (node?.kind !== "map") return undefined;
  return node.entries.find((entry) => entry.name === name)?.value;
}

/** Returns the string at a path; empty if there is none. */
export function textOf(node: YamlNode, ...path: readonly string[]): string {
  const found = path.reduce<YamlNode | undefined>(fieldNode, node);
  return found?.kind === "scalar" && typeof found.value === "string" ? found.value : "";
}

/**
 * Describes the type of a node, such as "a list". It contains no value, because the value can be a
 * secret.
 */
export function describeNodeType(node: YamlNode): string {
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "an object";
  if (node.value === null) return "no value";
  if (typeof node.value === "string") return "a string";
  if (typeof node.value === "boolean") return "a boolean";
  return Number.isInteger(node.value) ? "an integer" : "a decimal number";
}

/**
 * Returns the positions of characters in the source of a scalar, in one pass because there can be
 * many. `offsets` must be in ascending order.
 */
export function sourcePositions(
  scalar: YamlScalar,
  offsets: readonly number[],
): readonly Position[] {
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
