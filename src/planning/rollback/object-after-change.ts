import { idleReason, isJob } from "../../model/cluster/jobs.ts";
import {
  at,
  fieldOf,
  isList,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  mapStrings,
  objectAt,
  sameJson,
} from "../../model/json.ts";
import { type KubeObject, uidOf, withMetadata } from "../../model/object.ts";
import {
  containsKnownAfterDeploy,
  knownAfterDeploy,
} from "../../model/plan/apply-time-reference.ts";
import { type Change, fieldManager, type Plan } from "../../model/plan/plan.ts";
import { readWaitPolicy } from "../../model/plan/wait-policy.ts";
import { childKeys, subtractFieldSet, unionFieldSets } from "../../ssa/field-sets.ts";
import { declaredIndex, keyFields } from "../../ssa/list-items.ts";
import { fieldOwners, findApplyEntry } from "../../ssa/managed-fields.ts";
import { mergeLocally, undeclaredFields } from "../../ssa/merge-locally.ts";
import { applyStepPatches } from "../../ssa/steps/steps.ts";

/**
 * Returns an object as a change leaves it. Unlike the projection for other deployments, it contains
 * values of Secrets and of references: the record of the release contains them too. A Job has
 * completed if the deployment waits for it.
 */
export function objectAfterChange(change: Change, deployment: string): KubeObject {
  const { id, stage } = change;
  const sent = toSent(change);
  const merged = withSetValues(withUid(mergedChange(change, sent, deployment), change));
  const after = withOwner(merged, sent, fieldManager(deployment, stage));
  const isAwaitedJob =
    isJob(id) && idleReason(after) === undefined && readWaitPolicy(sent).isAwaited;
  return isAwaitedJob ? { ...after, status: completed } : after;
}

/** Gives an object that no API server has seen yet a UID, because each live object has one. */
function withUid(object: KubeObject, { key }: Change): KubeObject {
  return uidOf(object) === "" ? withMetadata(object, { uid: `new ${key}` }) : object;
}

/**
 * Replaces the values that are known after deploy, so that they differ from the values that are
 * known only after the rollback.
 */
function withSetValues(object: KubeObject): KubeObject {
  return containsKnownAfterDeploy(object)
    ? mapStrings(object, (text) => text.replaceAll(knownAfterDeploy, "(set by the plan)"))
    : object;
}

const completed = { conditions: [{ type: "Complete", status: "True" }] };

/** Returns the content of an object as a change leaves it, without new records of owners. */
export function contentAfterChange(change: Change, deployment: string): KubeObject {
  return mergedChange(change, toSent(change), deployment);
}

function toSent({ desired }: Change): KubeObject {
  const { resourceVersion: _, ...metadata } = desired.metadata;
  return { ...desired, metadata };
}

function mergedChange(change: Change, sent: KubeObject, deployment: string): KubeObject {
  const { live, predicted, steps, stage, action } = change;
  if (predicted !== undefined) return predicted;
  if (live === undefined || action === "replace") return sent;
  const before = applyStepPatches(steps, { deployment, stage, object: sent, live });
  return mergeLocally(before, sent, fieldManager(deployment, stage));
}

/**
 * Adds the record of this deployment's fields. A dry run doesn't show it for all steps, and qvs
 * doesn't dry-run each object.
 */
export function withOwner(object: KubeObject, sent: KubeObject, manager: string): KubeObject {
  const { apiVersion, metadata, kind: _, ...content } = sent;
  const { labels = {}, annotations = {} } = metadata;
  const before = findApplyEntry(object, manager)?.fields ?? {};
  // An empty object would own what others have added to it.
  const maps = Object.entries({ labels, annotations }).filter(([, map]) => !sameJson(map, {}));
  const declared: JsonObject = { metadata: Object.fromEntries(maps), ...content };
  const own = subtractFieldSet(before, undeclaredFields(before, declared));
  const [first = {}, ...more] = fieldOwners(object).map(({ fields }) => fields);
  const known = more.length === 0 ? first : unionFieldSets([first, ...more]);
  const fieldsV1 = withFields(own, declared, object, known);
  const entry = { manager, operation: "Apply", apiVersion, fieldsType: "FieldsV1", fieldsV1 };
  const others = listAt(object, "metadata", "managedFields").filter(
    (each) => at(each, "manager") !== manager || at(each, "operation") !== "Apply",
  );
  return withMetadata(object, { managedFields: [...others, entry] });
}

/**
 * Adds the declared fields to a set in the form of `managedFields`, unless the API server doesn't
 * store them. `known` contains the fields of all owners: they show which lists have keys. Other
 * lists are one field.
 */
function withFields(
  set: JsonObject,
  declared: JsonObject,
  stored: JsonObject,
  known: JsonObject,
): JsonObject {
  const fields = Object.entries(declared).flatMap(([name, value]) => {
    const now = fieldOf(stored, name);
    if (now === undefined) return [];
    const child = `f:${name}`;
    const [own, all] = [objectAt(set, child), objectAt(known, child)];
    const isWhole = fieldOf(set, child) !== undefined && childKeys(own).length === 0;
    if (isWhole) return [[child, own] as const];
    if (isObject(value) && isObject(now))
      return [[child, withFields(own, value, now, all)] as const];
    return [[child, isList(value) ? withItems(own, value, all) : own] as const];
  });
  return { ...set, ...Object.fromEntries(fields) };
}

/** Adds the items of a declared list to the set of its owned items, if its items have keys. */
function withItems(set: JsonObject, items: readonly Json[], known: JsonObject): JsonObject {
  const [sample] = childKeys(known);
  if (sample === undefined) return set;
  const owned = new Set(childKeys(set).map((key) => declaredIndex(key, items)));
  const added = items.flatMap((item, index) => {
    const key = owned.has(index) ? undefined : itemKey(item, sample);
    if (key === undefined) return [];
    return [[key, isObject(item) ? withFields({ ".": {} }, item, item, {}) : {}] as const];
  });
  return { ...set, ...Object.fromEntries(added) };
}

/** Returns the key of an item with the key fields of another one. An absent one is a default. */
function itemKey(item: Json, sample: string): string | undefined {
  if (sample.startsWith("v:")) return `v:${JSON.stringify(item)}`;
  const fields = Object.keys(keyFields(sample)).flatMap((name) => {
    const value = at(item, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return fields.length === 0 ? undefined : `k:${JSON.stringify(Object.fromEntries(fields))}`;
}

/** The changes of a rollback, by the key of their object. */
export type RestoredObjects = ReadonlyMap<string, Change>;

export function restoredObjects(undo: Plan | undefined): RestoredObjects {
  return new Map((undo?.changes ?? []).map((change) => [change.key, change]));
}
