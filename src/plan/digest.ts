import { isList, isObject, type Json, type JsonObject } from "../model/json.ts";
import {
  holdsOneOf,
  type KeptSecret,
  type LateText,
  type Steps,
  withValueAt,
  writtenText,
} from "../model/late-text.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Deletion } from "../model/plan.ts";
import { sameJson } from "../model/same-json.ts";
import { canonicalText } from "./canonical.ts";

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
      .filter((change) => change.action !== "unchanged")
      .map(
        ({
          action,
          key,
          stage,
          desired,
          live,
          adopts,
          forces,
          clears,
          renews,
          late,
          keptSecrets,
        }) => ({
          action,
          key,
          stage,
          ...(adopts === undefined
            ? {}
            : { adopts: [...adopts.managers], removes: [...adopts.removes] }),
          ...(forces === undefined ? {} : { forces: forces.map((each) => ({ ...each })) }),
          ...(clears === undefined ? {} : { clears: clears.removes }),
          ...(renews === undefined ? {} : { renews: [...renews] }),
          object:
            desired.kind === "Secret"
              ? withoutValues(unpinned(desired), live)
              : asWritten(withoutKept(unpinned(desired), keptSecrets), late),
        }),
      ),
    ...deletions.map(({ key, stage }) => ({ action: "delete", key, stage })),
  ];
  return canonicalText({ format: 1, deployment, operations });
}

/** With the references themselves: what they stand for is the cluster's, or a Secret's. */
function asWritten(object: JsonObject, late: readonly LateText[] = []): JsonObject {
  return late.reduce(
    (whole, { path, pieces }) => withValueAt(whole, path, writtenText(pieces)),
    object,
  );
}

/** What stays as it is belongs to the cluster, too, and may be a Secret's. */
function withoutKept(object: JsonObject, kept: readonly KeptSecret[] = []): JsonObject {
  const places = new Set(kept.map(({ path }) => JSON.stringify(path)));
  const texts = kept.flatMap(({ hides }) => hides);
  const walk = (value: Json, path: Steps): Json => {
    if (places.has(JSON.stringify(path)) || holdsOneOf(texts, value)) return "(kept)";
    if (isList(value)) return value.map((item, index) => walk(item, [...path, index]));
    return isObject(value) ? walkFields(value, path) : value;
  };
  const walkFields = (fields: JsonObject, path: Steps): JsonObject =>
    Object.fromEntries(
      Object.entries(fields).map(([name, inner]) => [name, walk(inner, [...path, name])]),
    );
  return kept.length === 0 ? object : walkFields(object, []);
}

function unpinned(desired: KubeObject): JsonObject {
  const { resourceVersion: _version, ...metadata } = desired.metadata;
  return { ...desired, metadata };
}

/** Even a hash would let somebody test guesses of a short password, so only whether it changes counts. */
function withoutValues(desired: JsonObject, live: JsonObject | undefined): JsonObject {
  const data = isObject(desired.data) ? desired.data : {};
  const before = isObject(live?.data) ? live.data : {};
  const states = Object.keys(data).map((name) => [name, stateOf(data[name], before[name])]);
  return { ...desired, data: Object.fromEntries(states) };
}

function stateOf(value: Json | undefined, before: Json | undefined): string {
  if (before === undefined) return "added";
  return sameJson(value, before) ? "same" : "changed";
}
