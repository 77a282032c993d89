import { adoptionOf, adoptionPatch } from "../../model/adoption.ts";
import type { Change } from "../../model/plan.ts";
import { sameJson } from "../../model/same-json.ts";
import type { Answer } from "../../ports.ts";
import { patchLive } from "./patch-live.ts";
import type { UpsertContext } from "./upsert.ts";

/**
 * Makes the fields of client-side tools ours (deploy.md §2), so that applying the object settles what becomes of them. What
 * was planned is done or nothing: fields that such a tool has got meanwhile are for a new plan.
 */
export async function adopt(change: Change, context: UpsertContext): Promise<Answer<Change>> {
  const { adopts, live, stage } = change;
  if (adopts === undefined || live === undefined) return { ok: true, value: change };
  return patchLive(change, live, context, (now) => {
    const adoption = adoptionOf(now, context.deployment, stage);
    if (adoption === undefined) return "done";
    return sameJson(adoption.fields, adopts.fields)
      ? adoptionPatch(now, adoption)
      : "not as planned";
  });
}
