import { textAt } from "../../model/json.ts";
import { existingPlace, keepAllLive, nothingFound } from "../../model/keep-live.ts";
import { addressOf, type KubeObject, uidOf, withMetadata } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan.ts";
import { sameJson } from "../../model/same-json.ts";
import type { Answer, Clock, Cluster, ClusterFailure } from "../../ports.ts";
import { adopt } from "./adopt.ts";
import { clear } from "./clear.ts";
import { forceApply } from "./force.ts";
import { renew } from "./renew.ts";
import { sameButStatus } from "./same-but-status.ts";

export interface UpsertContext {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly deployment: string;
  /** A kind that this very run has just defined may be unknown to the server for a moment longer. */
  readonly kindIsNew: boolean;
  readonly signal: AbortSignal;
}

/** Sends one planned object, after taking over what was planned. Any other conflict is news, and nothing is forced then. */
export async function upsert(planned: Change, context: UpsertContext): Promise<Answer<KubeObject>> {
  const adopted = await adopt(planned, context);
  if (!adopted.ok) return adopted;
  const renewed = await renew(adopted.value, context);
  if (!renewed.ok) return renewed;
  const cleared = await clear(renewed.value, context);
  if (!cleared.ok) return cleared;
  const change = cleared.value;
  let object = pinned(change);
  if (change.forces !== undefined) return forceApply(object, change, context);
  for (let attempt = 0; ; attempt += 1) {
    const answer = await context.cluster.apply(object, {
      fieldManager: fieldManager(context.deployment, change.stage),
      dryRun: false,
      force: false,
    });
    if (answer.ok || attempt >= retries || context.signal.aborted) return answer;
    if (isOutdated(answer.failure, object)) {
      const fresh = await asOfNow(object, change, answer.failure, context);
      if (fresh === undefined) return answer;
      object = fresh;
    } else if (isContended(answer.failure)) {
      await pause(context, retryMs);
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

/** Over the resourceVersion, or over fields that somebody has written since: the server looks for these first. */
function isOutdated(failure: ClusterFailure, sent: KubeObject): boolean {
  const versioned = textAt(sent, "metadata", "resourceVersion") !== undefined;
  return failure.reason === "conflict" && versioned;
}

function isAboutFields({ causes }: ClusterFailure): boolean {
  return causes.some((cause) => cause.reason === "FieldManagerConflict");
}

/**
 * The server has tried to merge what we sent into an object that others kept changing, and has given up: nothing is
 * wrong with it (`OptimisticLockErrorMsg` of the API server's registry).
 */
function isContended({ reason, message, causes }: ClusterFailure): boolean {
  return reason === "conflict" && causes.length === 0 && message.includes(contended);
}

const contended = "the object has been modified; please apply your changes to the latest version";

/**
 * The object again with the version of now. What is to stay as it is gets its values of now, or is left out where it has
 * become somebody else's: only for these the version counts. Where nothing is to stay, only the status may have changed: a
 * controller that reports progress must not stop a deployment. Anything more is for a new plan to decide.
 */
async function asOfNow(
  object: KubeObject,
  change: Change,
  failure: ClusterFailure,
  { cluster, deployment }: UpsertContext,
): Promise<KubeObject | undefined> {
  const answer = await cluster.read(addressOf(object));
  if (!answer.ok || answer.value === undefined || change.live === undefined) return undefined;
  const kept = keptAsNow(object, answer.value, change, deployment);
  if (kept === undefined && !sameButStatus(answer.value, change.live)) return undefined;
  // Over any other field the server would say the same again.
  if (isAboutFields(failure) && (kept === undefined || sameJson(kept, object))) return undefined;
  const resourceVersion = textAt(answer.value, "metadata", "resourceVersion") ?? "";
  return withMetadata(kept ?? object, { resourceVersion });
}

/** undefined where that can't be said: nothing is to stay, or something of it is gone, or another object is there. */
function keptAsNow(
  object: KubeObject,
  now: KubeObject,
  { keeps, stage, live }: Change,
  deployment: string,
): KubeObject | undefined {
  if (keeps === undefined || live === undefined || uidOf(now) !== uidOf(live)) return undefined;
  const found = nothingFound();
  const kept = keepAllLive(object, existingPlace(now, deployment, stage), keeps, found);
  return found.absent ? undefined : kept;
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
