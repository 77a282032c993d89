import type { InputObject, ObjectInput } from "../../model/config.ts";
import { idOf, type KubeObject, keyOf, nameOf } from "../../model/object.ts";
import type { Fixes, Problem } from "../../model/problems/problem.ts";

/**
 * Reports objects that two places of the config's files declare, and different objects with one
 * resource id. Only an adapter can add fields to an object.
 */
export function reportRepeated(inputs: readonly ObjectInput[], problems: Problem[]): void {
  const objects = new Map<string, InputObject>();
  const resources = new Map<string, InputObject>();
  const ofAdapters = new Set(
    inputs.flatMap(({ replaces, objects: all }) => (replaces === undefined ? [] : all)),
  );
  for (const { stage, group = "", objects: all } of inputs) {
    for (const each of all) {
      const id = idOf(each.object as KubeObject);
      const same = firstWith(objects, keyOf(id), each);
      const alike = firstWith(resources, `${stage}/${group}/${each.id}`, each);
      if (same !== undefined) {
        problems.push({
          code: "duplicate-object",
          where: [each.where, same.where],
          what: `${nameOf(id)} is declared twice`,
          fix: "Remove one of the two",
        });
      } else if (alike !== undefined) {
        problems.push({
          code: "duplicate-object",
          where: [each.where, alike.where],
          what: `${nameOf(id)} has the resource id of another object`,
          facts: [{ label: "id", value: each.id }],
          ...(ofAdapters.has(each) || ofAdapters.has(alike) ? fixesOfAdapter : fixOfEntry),
        });
      }
    }
  }
}

const fixOfEntry: Fixes = { fix: 'Move one of the two to an entry of its own, with a "group"' };

/** A chart of an adapter has no entry. The group is the part of its id before the last slash. */
const fixesOfAdapter: Fixes = {
  fix: "Turn off one of the two in the values of the chart",
  otherwise: ["give the resource of the chart another group in its id, such as GROUP/NAME"],
};

/** Returns the first object with this key; undefined if `each` is the first. */
function firstWith(
  known: Map<string, InputObject>,
  key: string,
  each: InputObject,
): InputObject | undefined {
  const first = known.get(key);
  if (first === undefined) known.set(key, each);
  return first;
}
