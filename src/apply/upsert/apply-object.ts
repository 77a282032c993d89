import type { Answer, ApiFailure } from "../../model/cluster/api-failure.ts";
import { isContended } from "../../model/cluster/api-words/state.ts";
import { sameJson, textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, uidOf, withMetadata } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan.ts";
import { existingPlace, nothingFound, preserveLiveFields } from "../../ssa/preserve-live-fields.ts";
import { retryConflicts } from "../retry-conflicts.ts";
import { againWhereFormer, pause } from "./again-where-former.ts";
import { equalExceptStatus } from "./equal-except-status.ts";
import type { UpsertContext } from "./upsert.ts";

/** Sends one object as it was planned. Any conflict is news, and nothing is forced then. */
export async function applyObject(
  change: Change,
  context: UpsertContext,
): Promise<Answer<KubeObject>> {
  const options = {
    fieldManager: fieldManager(context.deployment, change.stage),
    dryRun: false,
    force: false,
  };
  let object = pinned(change);
  return retryConflicts<Answer<KubeObject>>(context.signal, async () => {
    const answer = await context.cluster.apply(object, options);
    if (answer.ok) return { answer };
    const { failure } = answer;
    if (isOutdated(failure, object)) {
      const again = async () => {
        const fresh = await asOfNow(object, change, failure, context);
        if (fresh === undefined) return answer;
        object = fresh;
        return undefined;
      };
      return { answer, again };
    }
    if (isOvertaken(failure)) return { answer, again: () => pause(context) };
    return againWhereFormer(answer, change, context);
  });
}

/** An update names the uid that was planned against, so that the server refuses if another object took its place. */
export function pinned(change: Change): KubeObject {
  if (change.live === undefined) return change.desired;
  return withMetadata(change.desired, { uid: uidOf(change.live) });
}

/** Over the resourceVersion, or over fields that somebody has written since: the server looks for these first. */
function isOutdated(failure: ApiFailure, sent: KubeObject): boolean {
  const versioned = textAt(sent, "metadata", "resourceVersion") !== undefined;
  return failure.reason === "conflict" && versioned;
}

function isAboutFields({ causes }: ApiFailure): boolean {
  return causes.some((cause) => cause.reason === "FieldManagerConflict");
}

/** Others kept changing the object while the server merged what was sent: nothing is wrong with it. */
function isOvertaken(failure: ApiFailure): boolean {
  return failure.reason === "conflict" && failure.causes.length === 0 && isContended(failure);
}

/**
 * The object again with the version of now. What is to stay as it is gets its values of now, or is left out where it has
 * become somebody else's: only for these the version counts. Where nothing is to stay, only the status may have changed: a
 * controller that reports progress must not stop a deployment. Anything more is for a new plan to decide.
 */
async function asOfNow(
  object: KubeObject,
  change: Change,
  failure: ApiFailure,
  { cluster, deployment }: UpsertContext,
): Promise<KubeObject | undefined> {
  const answer = await cluster.read(addressOf(object));
  if (!answer.ok || answer.value === undefined || change.live === undefined) return undefined;
  const kept = keptAsNow(object, answer.value, change, deployment);
  if (kept === undefined && !equalExceptStatus(answer.value, change.live)) return undefined;
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
  const kept = preserveLiveFields(object, existingPlace(now, deployment, stage), keeps, found);
  return found.absent ? undefined : kept;
}
