import {
  isKnownAfterDeploy,
  referencesSecret,
  secretMatcher,
  type ValuePath,
  valueAt,
} from "../model/apply-time-reference.ts";
import { pathKeyWithoutIndex, replaceValues } from "../model/fields/map-values.ts";
import { type Json, sameJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change } from "../model/plan.ts";

/**
 * Returns the change without the values of Secrets that references put into it.
 * The values at these places are hidden. Every other string with such a value is hidden too,
 * because the items of a list can have changed since.
 */
export function redactReferencedSecrets(change: Change): Change {
  const {
    live,
    predicted,
    desired,
    applyTimeReferences = [],
    ignoredSecretFields = [],
    previousSecretValues = [],
  } = change;
  const secretReferences = applyTimeReferences.filter((text) => referencesSecret([text]));
  if (secretReferences.length + ignoredSecretFields.length + previousSecretValues.length === 0)
    return change;
  const places = new Set(secretReferences.map(({ path }) => JSON.stringify(path)));
  const anyItems = new Set(ignoredSecretFields.map(({ path }) => pathKeyWithoutIndex(path)));
  const isPlace = (path: ValuePath) =>
    places.has(JSON.stringify(path)) || anyItems.has(pathKeyWithoutIndex(path));
  const isHidden = secretMatcher({ ...change, applyTimeReferences: secretReferences });
  const isLiveHidden = secretMatcher({
    ...change,
    applyTimeReferences: secretReferences,
    manifestStrings: undefined,
  });
  const redactObject = (object: KubeObject) =>
    replaceValues(object, (value, path) =>
      isPlace(path) || isHidden(value) ? changeWord(path, value, live) : undefined,
    );
  return {
    ...change,
    desired: redactObject(desired),
    predicted: predicted && redactObject(predicted),
    live:
      live &&
      replaceValues(live, (value, path) =>
        isPlace(path) || isLiveHidden(value) ? "(hidden)" : undefined,
      ),
  };
}

/**
 * Returns the word that replaces a value. A value that is known after deploy keeps its text,
 * because it contains no secret.
 */
function changeWord(path: ValuePath, value: Json, live: KubeObject | undefined): string {
  if (typeof value === "string" && isKnownAfterDeploy(value)) return value;
  const before = valueAt(live, path);
  if (before === undefined) return "(added)";
  return sameJson(before, value) ? "(hidden)" : "(changed)";
}
