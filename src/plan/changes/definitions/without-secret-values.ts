import { hidesIn, holdsSecrets, knownLater, valueAt } from "../../../model/apply-time-reference.ts";
import { ofAnyItem, replaceValues } from "../../../model/fields/replace-values.ts";
import { isList, isObject, sameJson } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { DesiredObject } from "../../declared/objects.ts";

/**
 * Replaces values of Secrets in a live object, or in the API server's result, by `knownLater`.
 * A pull request can contain the definition. Its rules and patterns could reveal a Secret's value
 * piece by piece, where a reference copied it.
 */
export function withoutSecretValues(object: KubeObject, desired: DesiredObject): KubeObject {
  const { late, ignoredSecretFields, previousSecretValues } = desired;
  const placed = late.filter((text) => holdsSecrets([text]));
  if (placed.length + ignoredSecretFields.length + previousSecretValues.length === 0) return object;
  const places = new Set([...placed, ...ignoredSecretFields].map(({ path }) => ofAnyItem(path)));
  const isHidden = hidesIn({ late: placed, ignoredSecretFields, previousSecretValues });
  return replaceValues(object, (value, path) => {
    if (isList(value) || isObject(value)) return undefined;
    // A value that the manifest contains itself is no secret to its author.
    const isWritten = sameJson(valueAt(desired.object, path), value);
    const isSecret = places.has(ofAnyItem(path)) || (!isWritten && isHidden(value));
    return isSecret ? knownLater : undefined;
  });
}
