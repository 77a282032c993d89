import {
  knownAfterDeploy,
  referencesSecret,
  secretMatcher,
  valueAt,
} from "../../../model/apply-time-reference.ts";
import { pathKeyWithoutIndex, replaceValues } from "../../../model/fields/replace-values.ts";
import { isList, isObject, sameJson } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { DesiredObject } from "../../declared/objects.ts";

/**
 * Replaces values of Secrets in a live object, or in the API server's result, by
 * `knownAfterDeploy`. A pull request can contain the definition. Its rules and patterns could
 * reveal a Secret's value piece by piece, where a reference copied it.
 */
export function maskSecretValues(object: KubeObject, desired: DesiredObject): KubeObject {
  const { applyTimeReferences, ignoredSecretFields, previousSecretValues } = desired;
  const secretReferences = applyTimeReferences.filter((text) => referencesSecret([text]));
  if (secretReferences.length + ignoredSecretFields.length + previousSecretValues.length === 0)
    return object;
  const places = new Set(
    [...secretReferences, ...ignoredSecretFields].map(({ path }) => pathKeyWithoutIndex(path)),
  );
  const isHidden = secretMatcher({
    applyTimeReferences: secretReferences,
    ignoredSecretFields,
    previousSecretValues,
  });
  return replaceValues(object, (value, path) => {
    if (isList(value) || isObject(value)) return undefined;
    // A value that the manifest contains itself is no secret to its author.
    const isWritten = sameJson(valueAt(desired.object, path), value);
    const isSecret = places.has(pathKeyWithoutIndex(path)) || (!isWritten && isHidden(value));
    return isSecret ? knownAfterDeploy : undefined;
  });
}
