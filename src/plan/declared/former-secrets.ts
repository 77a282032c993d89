import { isList, isObject, type Json } from "../../model/json.ts";
import { leavesOf } from "../../model/late-text.ts";
import type { History, LiveObjects, Place } from "../../model/release.ts";
import type { DesiredObject } from "./desired.ts";

/**
 * The objects with the texts that came into their live ones from Secrets by references of earlier releases: none of them may be
 * shown, though nothing in the manifest of now tells that.
 */
export function rememberSecrets(
  objects: readonly DesiredObject[],
  live: LiveObjects,
  { secretPlaces }: History,
): readonly DesiredObject[] {
  return objects.map((desired) => {
    const values = (secretPlaces.get(desired.key) ?? []).flatMap((place) => {
      const value = valueIn(live.get(desired.key), place);
      return value === undefined ? [] : leavesOf(value);
    });
    const texts = [...new Set(values)].filter((text) => text !== "");
    return texts.length === 0 ? desired : { ...desired, formerSecrets: texts };
  });
}

function valueIn(object: Json | undefined, place: Place): Json | undefined {
  let current = object;
  for (const step of place) {
    if (typeof step === "string") {
      current = isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
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
