import type { Position } from "../../model/problems/problem.ts";
import { fieldNode, type YamlMap, type YamlScalar } from "../../model/yaml-node.ts";

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
      ? scalar(change(before?.kind === "scalar" ? before.value : undefined), where)
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
