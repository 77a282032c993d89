import {
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  pathKeyWithoutIndex,
  replaceValues,
  sameJson,
} from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import {
  isKnownAfterDeploy,
  referencesSecret,
  scalarTexts,
  secretMatcher,
  setValue,
  type ValuePath,
  valueAt,
  writtenText,
} from "../model/plan/apply-time-reference.ts";
import type { Deletion } from "../model/plan/deletion.ts";
import { withoutDroppedFields } from "../model/plan/dropped-fields.ts";
import type { Change } from "../model/plan/plan.ts";
import { toBase64 } from "../model/text/base64.ts";
import { type RedactionContext, redactPair } from "./redact.ts";
import type { RedactedPair } from "./redact-secrets.ts";
import { objectSecrets } from "./sensitive-values.ts";

/** Fields that the API server maintains. They differ after every write and describe no change. */
const serverFields = [
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
];

/**
 * Returns both sides of a change, redacted; the whole object if it is new. `hides` contains strings
 * that must not appear in any output.
 */
export function redactedChange(
  given: Change,
  hides: readonly string[] | undefined,
  { keepsKeys = false }: Pick<RedactionContext, "keepsKeys"> = {},
): RedactedPair {
  const change = redactReferencedSecrets({ ...given, ...given.redacted });
  const desired = withoutServerFields(change.desired);
  const view = { declared: desired, hides, keepsKeys };
  if (change.live === undefined) {
    const stored = withoutServerFields(withoutDroppedFields(change.desired, given));
    return redactPair(undefined, stored, view);
  }
  const live = withoutServerFields(change.live);
  return change.predicted === undefined
    ? redactPair(declaredFields(live, desired), desired, view)
    : redactPair(live, withoutServerFields(change.predicted), view);
}

/**
 * Returns a deleted object, redacted: the fields that this deployment wrote. Fields of other field
 * managers are omitted, because readers might not be allowed to see them. Values that someone else
 * wrote since are hidden if they can be secrets.
 * Returns undefined if no release contains the object.
 */
export function redactedDeletion(
  { live, lastSent }: Deletion,
  hides: readonly string[] = [],
): RedactedPair | undefined {
  if (lastSent === undefined) return undefined;
  const { sent, secretValues } = lastSent;
  const before = declaredFields(withoutServerFields(live), withoutServerFields(sent));
  const others = objectSecrets(before, new Set(scalarTexts(sent)));
  return redactPair(before, undefined, { hides: [...hides, ...secretValues, ...others] });
}

/**
 * Returns a new object next to the manifest of its predecessor. Both are as declared, including
 * references.
 */
export function redactedSuccessor(
  change: Change,
  before: KubeObject,
  hides: readonly string[] | undefined,
): RedactedPair {
  const declared = withoutDroppedFields(redactReferencedSecrets(change).desired, change);
  const after = withWrittenReferences(declared, change);
  return redactPair(withoutServerFields(before), withoutServerFields(after), { hides });
}

/**
 * Returns the object with the references of the manifest instead of the values that applying
 * inserts.
 */
export function withWrittenReferences(
  object: KubeObject,
  { applyTimeReferences = [] }: Pick<Change, "applyTimeReferences">,
): KubeObject {
  return applyTimeReferences.reduce((whole, { path, pieces, base64 }) => {
    const text = writtenText(pieces);
    return setValue(whole, path, base64 ? toBase64(text) : text);
  }, object);
}

export function withoutServerFields(object: JsonObject): JsonObject {
  const { status: _status, ...rest } = object;
  if (!isObject(rest.metadata)) return rest;
  const metadata = Object.entries(rest.metadata).filter(([key]) => !serverFields.includes(key));
  return { ...rest, metadata: Object.fromEntries(metadata) };
}

/**
 * Returns the declared fields of the live object. Without a dry run, the server's defaults are
 * unknown, so other fields aren't compared.
 */
function declaredFields(live: Json, desired: Json): Json {
  if (isObject(live) && isObject(desired)) {
    const entries = Object.entries(live).flatMap(([key, value]) => {
      const desiredPart = fieldOf(desired, key);
      if (desiredPart === undefined) return [];
      const part = declaredFields(value, desiredPart);
      return isEmptied(value, part) ? [] : [[key, part] as const];
    });
    return Object.fromEntries(entries);
  }
  if (isList(live) && isList(desired)) return declaredItems(live, desired);
  return live;
}

/**
 * Reports whether an object has only undeclared fields. Its declared part would look as if the
 * object had been empty.
 */
function isEmptied(whole: Json, part: Json): boolean {
  return isObject(whole) && !sameJson(whole, part) && sameJson(part, {});
}

/**
 * Returns the declared items of a list. Containers, ports and volumes are matched by name, and
 * items of other lists by position.
 */
function declaredItems(live: readonly Json[], desired: readonly Json[]): Json {
  return live.flatMap((item, position) => {
    const name = isObject(item) ? item.name : undefined;
    const desiredPart =
      name === undefined
        ? desired[position]
        : desired.find((other) => isObject(other) && other.name === name);
    return desiredPart === undefined ? [] : [declaredFields(item, desiredPart)];
  });
}

/**
 * Returns the change without the values of Secrets that references put into it.
 * The values at these places are hidden. Every other string with such a value is hidden too,
 * because the items of a list can have changed since.
 */
function redactReferencedSecrets(change: Change): Change {
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
