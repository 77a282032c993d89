import {
  isKnownAfterDeploy,
  referencesSecret,
  secretMatcher,
  type ValuePath,
  valueAt,
} from "../model/apply-time-reference.ts";
import { pathKeyWithoutIndex, replaceValues } from "../model/fields/replace-values.ts";
import { type Json, sameJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change } from "../model/plan.ts";

/**
 * Returns the change without the values of Secrets that references put into it.
 * The values at these places are hidden. Every other string with such a value is hidden too,
 * because the items of a list can have changed since.
 */
export function withoutSecretTexts(change: Change): Change {
  const {
    live,
    predicted,
    desired,
    applyTimeReferences = [],
    ignoredSecretFields = [],
    previousSecretValues = [],
  } = change;
  const placed = applyTimeReferences.filter((text) => referencesSecret([text]));
  if (placed.length + ignoredSecretFields.length + previousSecretValues.length === 0) return change;
  const places = new Set(placed.map(({ path }) => JSON.stringify(path)));
  const anyItems = new Set(ignoredSecretFields.map(({ path }) => pathKeyWithoutIndex(path)));
  const isPlace = (path: ValuePath) =>
    places.has(JSON.stringify(path)) || anyItems.has(pathKeyWithoutIndex(path));
  const isHidden = secretMatcher({ ...change, applyTimeReferences: placed });
  const isLiveHidden = secretMatcher({
    ...change,
    applyTimeReferences: placed,
    manifestStrings: undefined,
  });
  const after = (object: KubeObject) =>
    replaceValues(object, (value, path) =>
      isPlace(path) || isHidden(value) ? toWord(path, value, live) : undefined,
    );
  return {
    ...change,
    desired: after(desired),
    predicted: predicted && after(predicted),
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
function toWord(path: ValuePath, value: Json, live: KubeObject | undefined): string {
  if (typeof value === "string" && isKnownAfterDeploy(value)) return value;
  const before = valueAt(live, path);
  if (before === undefined) return "(added)";
  return sameJson(before, value) ? "(hidden)" : "(changed)";
}
