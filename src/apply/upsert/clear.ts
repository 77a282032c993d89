import { clearingPatch } from "../../model/clearing.ts";
import { at } from "../../model/json.ts";
import type { Change } from "../../model/plan.ts";
import { sameJson } from "../../model/same-json.ts";
import type { Answer } from "../../ports.ts";
import { patchLive } from "./patch-live.ts";
import type { UpsertContext } from "./upsert.ts";

/** Removes a default of the server's that forbids what is declared beside it (deploy.md §2). */
export async function clear(change: Change, context: UpsertContext): Promise<Answer<Change>> {
  const { clears, live } = change;
  if (clears === undefined || live === undefined) return { ok: true, value: change };
  return patchLive(change, live, context, (now) =>
    sameJson(at(now, ...clears.path), clears.value) ? "done" : clearingPatch(now, clears),
  );
}
