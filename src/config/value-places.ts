import type { Position } from "../model/problems/problem.ts";
import type { ValuePlace } from "../model/sources/config.ts";
import type { YamlEntry, YamlNode, YamlScalar } from "../model/sources/yaml-node.ts";
import { findParamReferences, soleReference } from "./param-references.ts";

interface GivenValues {
  given(name: string): YamlNode | undefined;
}

/**
 * The maximum number of places. Further parts have the place of the whole value, from which a
 * reader can find a conflict.
 */
const maxPlaces = 2000;

/**
 * Returns the places of all parts of a value, outer parts before inner ones. They are in the
 * config, and in the params files that provide the values of `$(params.…)`.
 * `where` is the place of the whole value.
 */
export function listValuePlaces(
  node: YamlNode,
  where: Position,
  params: GivenValues,
): readonly ValuePlace[] {
  const places: ValuePlace[] = [];
  visit(node, [], where);
  return places;

  function visit(part: YamlNode, path: readonly string[], where: Position): void {
    if (places.length >= maxPlaces) return;
    if (part.kind === "scalar") {
      visitScalar(part, path, where);
      return;
    }
    places.push({ path, where, given: [] });
    if (part.kind === "map") {
      for (const entry of part.entries)
        visit(entry.value, [...path, entry.name], entryPlace(entry));
    } else visitItems(part.items, path);
  }

  /** Visits the items of a list. A splice inserts all items of its list. */
  function visitItems(items: readonly YamlNode[], path: readonly string[]): void {
    let index = 0;
    for (const item of items) {
      const spliced = splicedItems(item, params);
      if (spliced === undefined) visit(item, [...path, String(index++)], item.where);
      const from = spliced === undefined ? [] : usedNames(item);
      for (const each of spliced ?? [])
        addInserted(each, [...path, String(index++)], item.where, from);
    }
  }

  function visitScalar(scalar: YamlScalar, path: readonly string[], where: Position): void {
    const text = typeof scalar.value === "string" ? scalar.value : "";
    const sole = soleReference(text)?.name;
    const whole = sole === undefined ? undefined : params.given(sole);
    const from = usedNames(scalar);
    if (whole !== undefined) {
      addInserted(whole, path, where, from);
      return;
    }
    const given = from.flatMap((name) => params.given(name)?.where ?? []);
    places.push({ path, where, given, ...(from.length === 0 ? {} : { from }) });
  }

  /** Adds the places of a value that replaces a reference. */
  function addInserted(
    value: YamlNode,
    path: readonly string[],
    where: Position,
    from: readonly string[],
  ): void {
    if (places.length >= maxPlaces) return;
    places.push({ path, where, given: [value.where], from });
    if (value.kind === "map") {
      for (const { name, value: inner } of value.entries)
        addInserted(inner, [...path, name], where, from);
    } else if (value.kind === "list") {
      for (const [index, item] of value.items.entries())
        addInserted(item, [...path, `${index}`], where, from);
    }
  }
}

/** Returns the names of the parameters that a scalar refers to. */
export function usedNames(node: YamlNode): readonly string[] {
  if (node.kind !== "scalar" || typeof node.value !== "string") return [];
  return findParamReferences(node.value).flatMap(({ name, literal }) =>
    name === undefined || literal ? [] : [name],
  );
}

/**
 * Returns the place of an entry. If an object or list begins on a later line than its key, the
 * place is that of the key.
 */
export function entryPlace({ key, value }: YamlEntry): Position {
  return value.where.line === key.where.line ? value.where : key.where;
}

function splicedItems(item: YamlNode, params: GivenValues): readonly YamlNode[] | undefined {
  if (item.kind !== "scalar" || typeof item.value !== "string") return undefined;
  const sole = soleReference(item.value);
  if (sole?.name === undefined || !sole.splice) return undefined;
  const list = params.given(sole.name);
  return list?.kind === "list" ? list.items : [];
}
