import { holdsSecrets, leavesOf, withValueAt } from "../../model/apply-time-reference.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { History, LiveObjects, Place } from "../../model/release.ts";
import type { MarkedObject, ResolvedObject } from "./objects.ts";

/**
 * Adds the strings that references of earlier releases copied from Secrets to the live objects.
 * qvs must show none of them, although the present manifest doesn't identify them. If qvs doesn't
 * know all releases, any string of a live object can be one.
 */
export function markPreviousSecretValues(
  objects: readonly ResolvedObject[],
  live: LiveObjects,
  { secretPlaces, newestSecretPlaces }: History,
  knowsAll: boolean,
): readonly MarkedObject[] {
  return objects.map((given): MarkedObject => {
    const values = [...textsAt(live.get(given.key), secretPlaces.get(given.key))];
    if (!knowsAll) values.push(...undeclaredTexts(live.get(given.key), given.object));
    const previousSecretValues = [...new Set(values)].filter((text) => text !== "");
    const { late, ignoredSecretFields, ignoring, object } = given;
    if (!holdsSecrets(late) && ignoredSecretFields.length + previousSecretValues.length === 0)
      return { ...given, previousSecretValues, written: undefined, replacesSecret: false };
    const written = new Set(leavesOf(ignoring?.declared ?? withoutLate(object, late)));
    const newest = newestSecretPlaces.get(given.key) ?? [];
    const replacesSecret = newest.some((place) => isWritten(valueIn(object, place), place, late));
    return { ...given, previousSecretValues, written, replacesSecret };
  });
}

/** Returns the strings at these places. */
export function textsAt(
  object: KubeObject | undefined,
  places: readonly Place[] = [],
): readonly string[] {
  return places.flatMap((place) => {
    const value = valueIn(object, place);
    return value === undefined ? [] : leavesOf(value);
  });
}

/**
 * Lists all strings of a live object that its manifest doesn't have.
 * Each of them can be from a Secret.
 */
function undeclaredTexts(live: KubeObject | undefined, object: KubeObject): readonly string[] {
  const declared = new Set(leavesOf(object));
  const content: JsonObject = { ...live, metadata: {}, status: {} };
  return leavesOf(content).filter((text) => !declared.has(text));
}

function withoutLate(object: KubeObject, late: ResolvedObject["late"]): KubeObject {
  return late.reduce((rest, { path }) => withValueAt(rest, path, ""), object);
}

/** Reports whether the place has a value that isn't a reference any more. */
function isWritten(value: Json | undefined, place: Place, late: ResolvedObject["late"]): boolean {
  const steps = JSON.stringify(place.map((step) => (typeof step === "string" ? step : step.index)));
  return value !== undefined && !late.some(({ path }) => JSON.stringify(path) === steps);
}

function valueIn(object: Json | undefined, place: Place): Json | undefined {
  let current = object;
  for (const step of place) {
    if (typeof step === "string") {
      current = isObject(current) ? fieldOf(current, step) : undefined;
    } else {
      const { index, name } = step;
      const items = isList(current) ? current : [];
      const named = items.find(
        (item) => name !== undefined && isObject(item) && item.name === name,
      );
      current = named ?? items[index];
    }
  }
  return current;
}
