import { withValueAt, writtenText } from "../model/apply-time-reference.ts";
import type { Deletion } from "../model/deletion.ts";
import { withoutDroppedFields } from "../model/dropped-fields.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject, sameJson } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change } from "../model/plan.ts";
import { toBase64 } from "../model/text/base64.ts";
import { redactPair } from "./redact.ts";
import { withoutSecretTexts } from "./secret-texts.ts";
import type { RedactedPair } from "./secret-view.ts";

/** Fields that the server keeps for itself: they differ after every write and say nothing about the change. */
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

/** What a change does to the live object, both sides ready to be shown; all of a new one. `hides` are texts that may be shown nowhere. */
export function shownChange(given: Change, hides: readonly string[] | undefined): RedactedPair {
  const change = withoutSecretTexts({ ...given, ...given.shows });
  const desired = withoutServerFields(change.desired);
  const view = { declared: desired, hides };
  if (change.live === undefined) {
    const stored = withoutServerFields(withoutDroppedFields(change.desired, given));
    return redactPair(undefined, stored, view);
  }
  const live = withoutServerFields(change.live);
  return change.predicted === undefined
    ? redactPair(declaredPart(live, desired), desired, view)
    : redactPair(live, withoutServerFields(change.predicted), view);
}

/**
 * What is deleted, as it is now: the fields that this deployment has written. What others have written is theirs, and may be what nobody
 * here should read. undefined where no release tells.
 */
export function shownDeletion(
  { live, ours }: Deletion,
  hides: readonly string[] = [],
): RedactedPair | undefined {
  if (ours === undefined) return undefined;
  const { sent, secretTexts } = ours;
  const before = declaredPart(withoutServerFields(live), withoutServerFields(sent));
  return redactPair(before, undefined, { hides: [...hides, ...secretTexts] });
}

/** The same of a new object beside the manifest of the one that it succeeds: both as they are declared, references included. */
export function shownSuccession(
  change: Change,
  before: KubeObject,
  hides: readonly string[] | undefined,
): RedactedPair {
  const declared = withoutDroppedFields(withoutSecretTexts(change).desired, change);
  const after = asWritten(declared, change);
  return redactPair(withoutServerFields(before), withoutServerFields(after), { hides });
}

/** With the references that a manifest has where only applying puts values. */
export function asWritten(object: KubeObject, { late = [] }: Pick<Change, "late">): KubeObject {
  return late.reduce((whole, { path, pieces, base64 }) => {
    const text = writtenText(pieces);
    return withValueAt(whole, path, base64 ? toBase64(text) : text);
  }, object);
}

export function withoutServerFields(object: JsonObject): JsonObject {
  const { status: _status, ...rest } = object;
  if (!isObject(rest.metadata)) return rest;
  const metadata = Object.entries(rest.metadata).filter(([key]) => !serverFields.includes(key));
  return { ...rest, metadata: Object.fromEntries(metadata) };
}

/** Without a dry-run the server's defaults are unknown, so only the declared fields of the live object are compared. */
function declaredPart(live: Json, desired: Json): Json {
  if (isObject(live) && isObject(desired)) {
    const entries = Object.entries(live).flatMap(([key, value]) => {
      const desiredPart = fieldOf(desired, key);
      if (desiredPart === undefined) return [];
      const part = declaredPart(value, desiredPart);
      return isEmptied(value, part) ? [] : [[key, part] as const];
    });
    return Object.fromEntries(entries);
  }
  if (isList(live) && isList(desired)) return declaredItems(live, desired);
  return live;
}

/** A map that has other fields only would be shown as if it had been empty. */
function isEmptied(whole: Json, part: Json): boolean {
  return isObject(whole) && !sameJson(whole, part) && sameJson(part, {});
}

/** Containers, ports and volumes are told apart by name; other lists by position. */
function declaredItems(live: readonly Json[], desired: readonly Json[]): Json {
  return live.flatMap((item, position) => {
    const name = isObject(item) ? item.name : undefined;
    const desiredPart =
      name === undefined
        ? desired[position]
        : desired.find((other) => isObject(other) && other.name === name);
    return desiredPart === undefined ? [] : [declaredPart(item, desiredPart)];
  });
}
