import { type JsonObject, textAt } from "../../model/json.ts";
import { addressOf, type KubeObject, uidOf, withMetadata } from "../../model/object.ts";
import { type Change, fieldManager } from "../../model/plan.ts";
import type { Answer } from "../../ports.ts";
import { changedSincePlan } from "./changed-since-plan.ts";
import { sameButStatus } from "./same-but-status.ts";
import type { UpsertContext } from "./upsert.ts";

const retries = 10;

/** What is to be done to a live object: a patch, nothing any more, or not what was planned. */
export type Wanted = readonly JsonObject[] | "done" | "not as planned";

/**
 * Patches the live object before it is applied to, and answers with the change against the object as it is then. Every
 * patch is for one version of the object; where only its status has changed meanwhile, it is made again.
 */
export async function patchLive(
  change: Change,
  planned: KubeObject,
  context: UpsertContext,
  wanted: (live: KubeObject) => Wanted,
): Promise<Answer<Change>> {
  const options = { fieldManager: fieldManager(context.deployment, change.stage), dryRun: false };
  let live = planned;
  for (let attempt = 0; ; attempt += 1) {
    const patch = wanted(live);
    if (patch === "done") return { ok: true, value: against(change, live) };
    if (patch === "not as planned") return changedSincePlan(change);
    const answer = await context.cluster.patch(addressOf(live), patch, options);
    if (answer.ok) return { ok: true, value: against(change, answer.value) };
    const isLast = attempt >= retries || context.signal.aborted;
    if (answer.failure.reason !== "conflict" || isLast) return answer;
    const fresh = await context.cluster.read(addressOf(live));
    if (!fresh.ok) return fresh;
    if (fresh.value === undefined || uidOf(fresh.value) !== uidOf(planned)) {
      return changedSincePlan(change);
    }
    // An answer may have got lost: the patch is done already, and what else has changed can't be told. The version that was
    // planned stays, so that what is to stay as it is gets its values of now when the server refuses that version.
    if (wanted(fresh.value) === "done")
      return { ok: true, value: { ...change, live: fresh.value } };
    if (!sameButStatus(fresh.value, planned)) return changedSincePlan(change);
    live = fresh.value;
  }
}

function against(change: Change, live: KubeObject): Change {
  if (change.desired.metadata.resourceVersion === undefined) return { ...change, live };
  const resourceVersion = textAt(live, "metadata", "resourceVersion") ?? "";
  return { ...change, live, desired: withMetadata(change.desired, { resourceVersion }) };
}
