import type { History, LiveObjects, RecordedPath } from "../../model/deployments/release.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import { referencesSecret, scalarTexts, setValue } from "../../model/plan/apply-time-reference.ts";
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
    const values = [...placedStrings(live.get(given.key), secretPlaces.get(given.key))];
    if (!knowsAll) values.push(...undeclaredStrings(live.get(given.key), given.object));
    const previousSecretValues = [...new Set(values)].filter((text) => text !== "");
    const { applyTimeReferences, ignoredSecretFields, ignoring, object } = given;
    if (
      !referencesSecret(applyTimeReferences) &&
      ignoredSecretFields.length + previousSecretValues.length === 0
    )
      return { ...given, previousSecretValues, manifestStrings: undefined, replacesSecret: false };
    const manifestStrings = new Set(
      scalarTexts(ignoring?.declared ?? withoutReferences(object, applyTimeReferences)),
    );
    const newest = newestSecretPlaces.get(given.key) ?? [];
    const replacesSecret = newest.some((place) =>
      isLiteral(valueAtPlace(object, place), place, applyTimeReferences),
    );
    return { ...given, previousSecretValues, manifestStrings, replacesSecret };
  });
}

/** Returns the strings at these places. */
export function placedStrings(
  object: KubeObject | undefined,
  places: readonly RecordedPath[] = [],
): readonly string[] {
  return places.flatMap((place) => {
    const value = valueAtPlace(object, place);
    return value === undefined ? [] : scalarTexts(value);
  });
}

/**
 * Lists all strings of a live object that its manifest doesn't have.
 * Each of them can be from a Secret.
 */
function undeclaredStrings(live: KubeObject | undefined, object: KubeObject): readonly string[] {
  const declared = new Set(scalarTexts(object));
  const content: JsonObject = { ...live, metadata: {}, status: {} };
  return scalarTexts(content).filter((text) => !declared.has(text));
}

function withoutReferences(
  object: KubeObject,
  late: ResolvedObject["applyTimeReferences"],
): KubeObject {
  return late.reduce((rest, { path }) => setValue(rest, path, ""), object);
}

/** Reports whether the place has a value that isn't a reference any more. */
function isLiteral(
  value: Json | undefined,
  place: RecordedPath,
  late: ResolvedObject["applyTimeReferences"],
): boolean {
  const steps = JSON.stringify(place.map((step) => (typeof step === "string" ? step : step.index)));
  return value !== undefined && !late.some(({ path }) => JSON.stringify(path) === steps);
}

function valueAtPlace(object: Json | undefined, place: RecordedPath): Json | undefined {
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
