import { hidesIn, holdsSecrets, knownLater, valueAt } from "../../../model/apply-time-reference.ts";
import { ofAnyItem, replaceValues } from "../../../model/fields/replace-values.ts";
import { isList, isObject, sameJson } from "../../../model/json.ts";
import type { KubeObject } from "../../../model/object.ts";
import type { DesiredObject } from "../../declared/objects.ts";

/**
 * What is live, or what the server makes of it, as a definition of a pull request may judge it: its rules and patterns could ask for a
 * Secret's value that a reference has put there, piece by piece. Such a value is taken for one that only applying brings.
 */
export function withoutSecretValues(object: KubeObject, desired: DesiredObject): KubeObject {
  const { late, ignoredSecretFields, previousSecretValues } = desired;
  const placed = late.filter((text) => holdsSecrets([text]));
  if (placed.length + ignoredSecretFields.length + previousSecretValues.length === 0) return object;
  const places = new Set([...placed, ...ignoredSecretFields].map(({ path }) => ofAnyItem(path)));
  const isHidden = hidesIn({ late: placed, ignoredSecretFields, previousSecretValues });
  return replaceValues(object, (value, path) => {
    if (isList(value) || isObject(value)) return undefined;
    // What the manifest itself says there is no secret to whoever wrote it.
    const isWritten = sameJson(valueAt(desired.object, path), value);
    const isSecret = places.has(ofAnyItem(path)) || (!isWritten && isHidden(value));
    return isSecret ? knownLater : undefined;
  });
}
