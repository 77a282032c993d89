import type { Change } from "../../model/plan.ts";
import { renewalPatch, versionsToRenew } from "../../model/renewal.ts";
import type { Answer } from "../../ports.ts";
import { patchLive } from "./patch-live.ts";
import type { UpsertContext } from "./upsert.ts";

/** Records the owners of an object's fields in the version that is applied (deploy.md §2). */
export async function renew(change: Change, context: UpsertContext): Promise<Answer<Change>> {
  const { renews, live, desired } = change;
  if (renews === undefined || live === undefined) return { ok: true, value: change };
  return patchLive(change, live, context, (now) =>
    versionsToRenew(now, desired.apiVersion).length === 0
      ? "done"
      : renewalPatch(now, desired.apiVersion),
  );
}
