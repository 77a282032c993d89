import type { ApiFailure, ApiResult } from "../../model/cluster/api/api-failure.ts";
import { isContended } from "../../model/cluster/api/messages/api-message.ts";
import { isObject, type Json, numberAt, sameJson, textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, uidOf, withMetadata } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan/plan.ts";
import {
  existingState,
  noObservations,
  preserveLiveFields,
} from "../../ssa/preserve-live-fields.ts";
import { pauseBeforeRetry, retryConflicts, retryStaleAdmission } from "../retry-writes.ts";
import type { UpsertContext } from "./upsert.ts";

/**
 * Reports whether at most the status of an object has changed.
 * A controller that reports progress must not stop a deployment. Any other change needs a new plan.
 */
export function equalExceptStatus(current: KubeObject, previous: KubeObject): boolean {
  if (uidOf(current) !== uidOf(previous)) return false;
  const generation = numberAt(current, "metadata", "generation");
  // For most kinds, the API server counts changes of the spec. Metadata is always compared.
  const same =
    generation !== undefined && generation === numberAt(previous, "metadata", "generation");
  return same
    ? canonical(comparableParts(current).metadata) === canonical(comparableParts(previous).metadata)
    : canonical(comparableParts(current)) === canonical(comparableParts(previous));
}

function comparableParts(object: KubeObject): KubeObject {
  const { status: _status, ...rest } = object;
  const { resourceVersion: _version, managedFields: _managed, ...metadata } = object.metadata;
  return { ...rest, apiVersion: object.apiVersion, kind: object.kind, metadata };
}

/** Returns JSON with sorted keys: equal values give equal strings. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Sends one object as planned. It forces nothing: every conflict is newer than the plan. */
export async function applyObject(
  change: Change,
  context: UpsertContext,
): Promise<ApiResult<KubeObject>> {
  const options = {
    fieldManager: fieldManager(context.deployment, change.stage),
    dryRun: false,
    force: false,
  };
  let object = withPlannedUid(change);
  return retryConflicts<ApiResult<KubeObject>>(context.signal, async () => {
    const answer = await context.cluster.apply(object, options);
    if (answer.ok) return { answer };
    const { failure } = answer;
    if (isVersionConflict(failure, object)) {
      const prepareRetry = async () => {
        const fresh = await withLiveVersion(object, change, failure, context);
        if (fresh === undefined) return answer;
        object = fresh;
        return undefined;
      };
      return { answer, prepareRetry };
    }
    if (isContention(failure)) return { answer, prepareRetry: () => pauseBeforeRetry(context) };
    return retryStaleAdmission(answer, change, context);
  });
}

/**
 * Adds the UID from the plan to an update.
 * The API server then rejects it if another object has taken the name.
 */
export function withPlannedUid(change: Change): KubeObject {
  if (change.live === undefined) return change.desired;
  return withMetadata(change.desired, { uid: uidOf(change.live) });
}

/**
 * Reports whether a conflict is about the resourceVersion, or about fields written since the plan.
 * The API server checks field conflicts first.
 */
function isVersionConflict(failure: ApiFailure, sent: KubeObject): boolean {
  const versioned = textAt(sent, "metadata", "resourceVersion") !== undefined;
  return failure.reason === "conflict" && versioned;
}

function isFieldConflict({ causes }: ApiFailure): boolean {
  return causes.some((cause) => cause.reason === "FieldManagerConflict");
}

/**
 * Reports whether other clients kept changing the object while the API server merged the request.
 * The object itself has no error.
 */
function isContention(failure: ApiFailure): boolean {
  return failure.reason === "conflict" && failure.causes.length === 0 && isContended(failure);
}

/**
 * Returns the object with its current resourceVersion.
 * Fields that must keep their live values get the current ones. A field that another manager now
 * owns is left out. The version matters only for these fields. Without them, only the status can
 * differ: a controller that reports progress must not stop a deployment. Any other difference needs
 * a new plan.
 */
async function withLiveVersion(
  object: KubeObject,
  change: Change,
  failure: ApiFailure,
  { cluster, deployment }: UpsertContext,
): Promise<KubeObject | undefined> {
  const answer = await cluster.read(addressOf(object));
  if (!answer.ok || answer.value === undefined || change.live === undefined) return undefined;
  const kept = withLiveKeptFields(object, answer.value, change, deployment);
  if (kept === undefined && !equalExceptStatus(answer.value, change.live)) return undefined;
  // A conflict about any other field would only repeat.
  if (isFieldConflict(failure) && (kept === undefined || sameJson(kept, object))) return undefined;
  const resourceVersion = textAt(answer.value, "metadata", "resourceVersion") ?? "";
  return withMetadata(kept ?? object, { resourceVersion });
}

/**
 * Returns undefined if no field keeps its live value, such a value is missing, or the UID differs.
 */
function withLiveKeptFields(
  object: KubeObject,
  current: KubeObject,
  { keeps, stage, live }: Change,
  deployment: string,
): KubeObject | undefined {
  if (keeps === undefined || live === undefined || uidOf(current) !== uidOf(live)) return undefined;
  const found = noObservations();
  const kept = preserveLiveFields(object, existingState(current, deployment, stage), keeps, found);
  return found.absent ? undefined : kept;
}
