import { adoptionOf, adoptionPatch } from "../model/adoption.ts";
import { textAt } from "../model/json.ts";
import type { KubeObject } from "../model/object.ts";
import { type Change, fieldManager } from "../model/plan.ts";
import { sameJson } from "../model/same-json.ts";
import type { Answer } from "../ports.ts";
import { changedSincePlan } from "./changed-since-plan.ts";
import { addressOf } from "./identity.ts";
import { sameButStatus } from "./same-but-status.ts";
import type { UpsertContext } from "./upsert.ts";

const retries = 10;

/**
 * Makes the fields of client-side tools ours (deploy.md §2), so that applying the object settles what becomes of them. The
 * answer is the change against the object as it is then. What was planned is done or nothing: fields that such a
 * tool has got meanwhile are for a new plan.
 */
export async function adopt(change: Change, context: UpsertContext): Promise<Answer<Change>> {
  if (change.adopts === undefined || change.live === undefined) return { ok: true, value: change };
  const manager = fieldManager(context.deployment, change.stage);
  let live = change.live;
  for (let attempt = 0; ; attempt += 1) {
    const adoption = adoptionOf(live, context.deployment, change.stage);
    if (adoption === undefined) return { ok: true, value: against(change, live) };
    if (!sameJson(adoption.fields, change.adopts.fields)) return changedSincePlan(change);
    const patch = adoptionPatch(live, adoption);
    const answer = await context.cluster.patch(addressOf(live), patch, manager);
    if (answer.ok) return { ok: true, value: against(change, answer.value) };
    const isLast = attempt >= retries || context.signal.aborted;
    if (answer.failure.reason !== "conflict" || isLast) return answer;
    const fresh = await context.cluster.read(addressOf(live));
    if (!fresh.ok) return fresh;
    if (fresh.value === undefined || !isStillPlanned(fresh.value, change))
      return changedSincePlan(change);
    live = fresh.value;
  }
}

/** Our own request may have been answered by a broken connection: then the tools' entries are gone already. */
function isStillPlanned(now: KubeObject, { live }: Change): boolean {
  return live !== undefined && sameButStatus(now, live);
}

function against(change: Change, live: KubeObject): Change {
  const { metadata } = change.desired;
  if (metadata.resourceVersion === undefined) return { ...change, live };
  const resourceVersion = textAt(live, "metadata", "resourceVersion") ?? "";
  return {
    ...change,
    live,
    desired: { ...change.desired, metadata: { ...metadata, resourceVersion } },
  };
}
