import type { ApiResult } from "../../model/cluster/api-failure.ts";
import { idOf, type KubeObject } from "../../model/object.ts";
import { withoutConflictingResources } from "./conflicting-resources.ts";
import { type DryRunRequest, lastRejection } from "./step.ts";

/*
 * qvs first tests an object that it will recreate with a dry run under another name, while the old
 * object exists.
 * A conflict that only the old object causes, and that its deletion resolves, isn't an error.
 */

/** A short limit, so that the suffix fits into the name of every kind. */
const maxNameLength = 40;

/**
 * Returns the object under a temporary name, for a dry run that doesn't collide with the old
 * object.
 */
export function withTemporaryName(object: KubeObject): KubeObject {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  // A name part can't start with the suffix's hyphen, and half a character can't be sent.
  const kept = [...idOf(object).name]
    .slice(0, maxNameLength)
    .join("")
    .replace(/(?<![.-])[.-]+$/, "");
  return { ...object, metadata: { ...metadata, name: `${kept}-qvs-preview` } };
}

/**
 * Returns the object under a temporary name without the exclusive values that the old object has.
 */
export function trialObject(object: KubeObject, live: KubeObject): KubeObject {
  return withoutConflictingResources(withTemporaryName(object), live);
}

/**
 * Returns a request for an object that the API server rejected under another name.
 * Rules of CustomResourceDefinitions and policies can depend on the name.
 * The API server checks the whole object before it answers that the name exists. That answer
 * therefore means that the object is valid (tested). It contains no object, so qvs sends this
 * request second.
 */
export function ownNameRequest(object: KubeObject, live: KubeObject): DryRunRequest {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { verb: "create", object: withoutConflictingResources({ ...object, metadata }, live) };
}

export function isNameTaken(answers: readonly ApiResult<KubeObject>[]): boolean {
  return lastRejection(answers)?.reason === "already-exists";
}

/** The reason why the result is unknown for an object that is valid only under its own name. */
export const validOnlyUnderOwnName =
  "the API server accepts it only under its own name, so no dry run shows the result";
