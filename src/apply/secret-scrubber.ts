import { isList, isObject, type Json, type JsonObject, mapStrings } from "../model/json.ts";
import type { Plan } from "../model/plan/plan.ts";
import { hideCredentials } from "../redaction/hide-credentials.ts";
import { createScrubber, quotedForms, secretObjectForms } from "../redaction/scrub.ts";
import { canContainSecrets, isSensitiveObject } from "../redaction/sensitive-object.ts";

/** The Secret values that a run knows. No output contains them, whatever its source. */
export interface SecretScrubber {
  /** Adds the values of an object. A live object can have values that no manifest declares. */
  add(object: JsonObject): void;
  /**
   * Replaces Secret values with `(hidden)` in every string of a value, and words that look like
   * credentials.
   */
  scrub<T>(told: T): T;
}

export function createSecretScrubber({
  changes,
  deletions,
  awaited = [],
  hides = [],
}: Plan): SecretScrubber {
  const hidden = createScrubber(hides.flatMap(quotedForms));
  const add = (object: JsonObject) => {
    if (canContainSecrets(object)) hidden.add(secretStrings(object));
  };
  for (const {
    desired,
    live,
    applyTimeReferences = [],
    ignoredSecretFields = [],
    previousSecretValues = [],
  } of changes) {
    for (const object of [desired, live]) if (object !== undefined) add(object);
    const values = [...applyTimeReferences, ...ignoredSecretFields].flatMap((each) => [
      ...each.secretValues.declared,
      ...each.secretValues.live,
    ]);
    hidden.add([...values, ...previousSecretValues].flatMap(quotedForms));
  }
  for (const { live } of [...deletions, ...awaited]) add(live);
  return {
    add,
    scrub: (told) => mapStrings(told, (text) => hideCredentials(hidden.hide(text))),
  };
}

/**
 * Returns the strings to hide in a value. In an object that contains Secrets, only the Secrets
 * count.
 */
function secretStrings(value: Json): readonly string[] {
  if (isList(value)) return value.flatMap(secretStrings);
  if (!isObject(value)) return [];
  return isSensitiveObject(value)
    ? secretObjectForms(value)
    : Object.values(value).flatMap(secretStrings);
}
