import {
  type ApplyTimeReference,
  hidesIn,
  holdsSecrets,
  type Steps,
  withValueAt,
  writtenText,
} from "../model/apply-time-reference.ts";
import { fieldOf, isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Deletion } from "../model/plan.ts";
import { escapeReferences } from "../model/reference-text.ts";
import { redact, redactPair } from "../redaction/redact.ts";
import { mayHoldSecrets } from "../redaction/secret-like.ts";
import { digestOfSteps } from "../ssa/steps/steps.ts";

/**
 * A text that is the same for two plans that would do the same: what is sent and what is deleted, in order, without
 * anything that the cluster changes by itself. It is hashed and shown, so no Secret's value is in it.
 */
export function canonicalOperations(
  deployment: string,
  changes: readonly Change[],
  deletions: readonly Deletion[],
): string {
  const operations: Json = [
    ...changes
      .filter((change) => change.action !== "unchanged" || isWithheld(change))
      .map((change) => (isWithheld(change) ? withheldOperation(change) : operationOf(change))),
    ...deletions.map(({ key, stage }) => ({ action: "delete", key, stage })),
  ];
  return canonicalText({ format: 2, deployment, operations });
}

function operationOf(change: Change): JsonObject {
  const { action, key, stage, steps, desired, live } = change;
  return {
    action,
    key,
    stage,
    ...digestOfSteps(steps),
    object: mayHoldSecrets(desired)
      ? withoutValues(unpinned(desired), live)
      : asWritten(withoutKept(unpinned(desired), change), change.late),
  };
}

/** A preview does not find out what becomes of it, so nothing that was found out may count. */
function isWithheld({ unasked, late }: Change): boolean {
  return unasked !== undefined || holdsSecrets(late);
}

function withheldOperation(change: Change): JsonObject {
  const { key, stage, desired, live } = change;
  const object = unpinned(desired);
  return {
    action: live === undefined ? "create" : "known after deploy",
    key,
    stage,
    object: mayHoldSecrets(desired)
      ? redact(object)
      : asWritten(withoutKept(object, change), change.late),
  };
}

/** With the references themselves: what they stand for is the cluster's, or a Secret's. */
function asWritten(object: JsonObject, late: readonly ApplyTimeReference[] = []): JsonObject {
  return late.reduce(
    (whole, { path, pieces }) => withValueAt(whole, path, writtenText(pieces)),
    escapeReferences(object),
  );
}

/** What stays as it is belongs to the cluster, too, and may be a Secret's. */
function withoutKept(object: JsonObject, change: Change): JsonObject {
  const { ignoredSecretFields: kept = [], previousSecretValues = [], written } = change;
  const places = new Set(kept.map(({ path }) => JSON.stringify(path)));
  const isHidden = hidesIn({ ignoredSecretFields: kept, previousSecretValues, written });
  const walk = (value: Json, path: Steps): Json => {
    if (places.has(JSON.stringify(path)) || isHidden(value)) return "(kept)";
    if (isList(value)) return value.map((item, index) => walk(item, [...path, index]));
    return isObject(value) ? walkFields(value, path) : value;
  };
  const walkFields = (fields: JsonObject, path: Steps): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).map(([name, inner]) => [name, walk(inner, [...path, name])]),
    );
  return kept.length + previousSecretValues.length === 0 ? object : walkFields(object, []);
}

function unpinned(desired: KubeObject): JsonObject {
  const { resourceVersion: _version, ...metadata } = desired.metadata;
  return { ...desired, metadata };
}

/** Even a hash would let somebody test guesses of a short password, so only whether it changes counts. */
function withoutValues(desired: JsonObject, live: JsonObject | undefined): Json {
  return redactPair(live, desired, { declared: desired }).after ?? null;
}

/** JSON with the fields of every object sorted: the same text for the same data. */
function canonicalText(value: Json): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (isList(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(fieldOf(value, name) as Json)]));
}
