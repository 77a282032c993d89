import type { Position } from "../../model/problems/problem.ts";
import type { YamlMap, YamlNode, YamlScalar } from "../../model/yaml-node.ts";

/** Returns the value at a path; undefined if it isn't a scalar or doesn't exist. */
function scalarAt(node: YamlNode, path: readonly string[]): YamlScalar["value"] | undefined {
  const found = path.reduce<YamlNode | undefined>(fieldNode, node);
  return found?.kind === "scalar" ? found.value : undefined;
}

export function textOf(node: YamlNode, ...path: readonly string[]): string {
  const value = scalarAt(node, path);
  return typeof value === "string" ? value : "";
}

function fieldNode(node: YamlNode | undefined, name: string): YamlNode | undefined {
  if (node?.kind !== "map") return undefined;
  return node.entries.find((entry) => entry.name === name)?.value;
}

/**
 * Returns the object with a value at a path, and with the objects on the path. `change` gets the
 * former value; undefined if there is none.
 */
export function withField(
  map: YamlMap,
  [name = "", ...rest]: readonly string[],
  change: (before: YamlScalar["value"] | undefined) => string | number,
): YamlMap {
  const before = fieldNode(map, name);
  const { where } = map;
  const value =
    rest.length === 0
      ? scalar(change(before === undefined ? undefined : scalarAt(before, [])), where)
      : withField(before?.kind === "map" ? before : emptyMap(where), rest, change);
  const entry = { key: scalar(name, where), name, value };
  const isKnown = map.entries.some((each) => each.name === name);
  const entries = map.entries.map((each) => (each.name === name ? { ...each, value } : each));
  return { ...map, entries: isKnown ? entries : [...entries, entry] };
}

function emptyMap(where: Position): YamlMap {
  return { kind: "map", entries: [], where };
}

function scalar(value: string | number, where: Position): YamlScalar {
  return { kind: "scalar", value, source: "", where };
}
