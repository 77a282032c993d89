import type { ValuePlace } from "../model/config.ts";
import type { Position } from "../model/problems/problem.ts";
import { findReferences, soleReference } from "./references.ts";
import type { YamlEntry, YamlNode, YamlScalar } from "./yaml/node.ts";

interface Given {
  given(name: string): YamlNode | undefined;
}

/** Beyond this, parts are where the whole is: a conflict in them is found by reading on. */
const maxPlaces = 2000;

/**
 * Where everything in a value stands, outer parts before inner ones: in the config, and in the params file that gives what
 * a `$(params.…)` there stands for. `where` is the place of the whole.
 */
export function placesOfValue(
  node: YamlNode,
  where: Position,
  params: Given,
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
      for (const entry of part.entries) visit(entry.value, [...path, entry.name], placeOf(entry));
    } else visitItems(part.items, path);
  }

  /** A splice puts in as many items as its list has. */
  function visitItems(items: readonly YamlNode[], path: readonly string[]): void {
    let index = 0;
    for (const item of items) {
      const spliced = spliceOf(item, params);
      if (spliced === undefined) visit(item, [...path, String(index++)], item.where);
      for (const each of spliced ?? []) put(each, [...path, String(index++)], item.where);
    }
  }

  function visitScalar(scalar: YamlScalar, path: readonly string[], where: Position): void {
    const text = typeof scalar.value === "string" ? scalar.value : "";
    const sole = soleReference(text)?.name;
    const whole = sole === undefined ? undefined : params.given(sole);
    if (whole !== undefined) {
      put(whole, path, where);
      return;
    }
    const used = findReferences(text).flatMap(({ name, literal }) =>
      name === undefined || literal ? [] : [params.given(name)],
    );
    const given = used.flatMap((value) => (value === undefined ? [] : [value.where]));
    places.push({ path, where, given });
  }

  /** What is put in for a reference that stands alone. */
  function put(value: YamlNode, path: readonly string[], where: Position): void {
    if (places.length >= maxPlaces) return;
    places.push({ path, where, given: [value.where] });
    if (value.kind === "map") {
      for (const entry of value.entries) put(entry.value, [...path, entry.name], where);
    } else if (value.kind === "list") {
      for (const [index, item] of value.items.entries()) put(item, [...path, `${index}`], where);
    }
  }
}

/** A map or list that begins on a later line than its key is found by the key. */
export function placeOf({ key, value }: YamlEntry): Position {
  return value.where.line === key.where.line ? value.where : key.where;
}

function spliceOf(item: YamlNode, params: Given): readonly YamlNode[] | undefined {
  if (item.kind !== "scalar" || typeof item.value !== "string") return undefined;
  const sole = soleReference(item.value);
  if (sole?.name === undefined || !sole.splice) return undefined;
  const list = params.given(sole.name);
  return list?.kind === "list" ? list.items : [];
}
