import { isObject, type Json, type JsonObject, numberAt, textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { type Change, fieldManager } from "../model/plan.ts";
import type { Answer, Clock, Cluster, ClusterFailure } from "../ports.ts";
import { addressOf, uidOf } from "./identity.ts";

export interface UpsertContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly deployment: string;
  /** A kind that this very run has just defined may be unknown to the server for a moment longer. */
  readonly kindIsNew: boolean;
  readonly signal: AbortSignal;
}

/** Sends one planned object. Nothing is forced: the plan was made without conflicts, so a conflict is news. */
export async function upsert(change: Change, context: UpsertContext): Promise<Answer<KubeObject>> {
  let object = pinned(change);
  for (let attempt = 0; ; attempt += 1) {
    const answer = await context.cluster.apply(object, {
      fieldManager: fieldManager(context.deployment, change.stage),
      dryRun: false,
      force: false,
    });
    if (answer.ok || attempt >= retries || context.signal.aborted) return answer;
    if (isOutdated(answer.failure, object)) {
      const fresh = await withFreshVersion(object, change, context.cluster);
      if (fresh === undefined) return answer;
      object = fresh;
    } else if (context.kindIsNew && isUnknownKind(answer.failure)) {
      context.cluster.forgetKinds();
      await pause(context, retryMs);
    } else return answer;
  }
}

const retries = 10;
const retryMs = 500;

/** An update names the uid that was planned against, so that the server refuses if another object took its place. */
function pinned(change: Change): KubeObject {
  if (change.live === undefined) return change.desired;
  return withMetadata(change.desired, { uid: uidOf(change.live) });
}

function withMetadata(object: KubeObject, fields: JsonObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, ...fields } };
}

/** A conflict over the resourceVersion, not over fields: those name their manager in a cause. */
function isOutdated(failure: ClusterFailure, sent: KubeObject): boolean {
  const fields = failure.causes.some((cause) => cause.reason === "FieldManagerConflict");
  const versioned = textAt(sent, "metadata", "resourceVersion") !== undefined;
  return failure.reason === "conflict" && versioned && !fields;
}

/**
 * The object again with the version of now, where nothing but its status has changed since it was planned: a
 * controller that reports progress must not stop a deployment. Anything more is for a new plan to decide.
 */
async function withFreshVersion(
  object: KubeObject,
  change: Change,
  cluster: Cluster,
): Promise<KubeObject | undefined> {
  const answer = await cluster.read(addressOf(object));
  if (!answer.ok || answer.value === undefined || change.live === undefined) return undefined;
  if (!sameButStatus(answer.value, change.live)) return undefined;
  const version = textAt(answer.value, "metadata", "resourceVersion") ?? "";
  return withMetadata(object, { resourceVersion: version });
}

function sameButStatus(now: KubeObject, then: KubeObject): boolean {
  if (uidOf(now) !== uidOf(then)) return false;
  const generation = numberAt(now, "metadata", "generation");
  // The API server counts changes of the spec for most kinds; metadata is compared either way.
  const same = generation !== undefined && generation === numberAt(then, "metadata", "generation");
  return same
    ? canonical(meaningful(now).metadata) === canonical(meaningful(then).metadata)
    : canonical(meaningful(now)) === canonical(meaningful(then));
}

function meaningful(object: KubeObject): KubeObject {
  const { status: _status, ...rest } = object;
  const { resourceVersion: _version, managedFields: _managed, ...metadata } = object.metadata;
  return { ...rest, apiVersion: object.apiVersion, kind: object.kind, metadata };
}

/** JSON with sorted keys: equal values give equal text. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_key, inner: Json) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

function isUnknownKind(failure: ClusterFailure): boolean {
  return failure.reason === "unknown-kind" || failure.reason === "not-found";
}

/** An aborted pause is no failure: the caller looks at the signal itself. */
async function pause(context: UpsertContext, milliseconds: number): Promise<void> {
  try {
    await context.clock.sleep(milliseconds, context.signal);
  } catch (error) {
    if (!context.signal.aborted) throw error;
  }
}
