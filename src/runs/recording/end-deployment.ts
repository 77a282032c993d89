import type { ApplyResult } from "../../apply/result.ts";
import type { KeptObject } from "../../model/deletion.ts";
import { nameOf, nameOfKey } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import { catchProblems } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
import { deleteRecords } from "../../releases/store.ts";
import type { DeployContext } from "../with-lock.ts";

/** What is left of a deployment that was deleted: nothing, or objects with the releases that know them. */
export type Remainder = "nothing" | "kept objects";

export interface Ended {
  readonly remainder: Remainder;
  readonly problems: readonly Problem[];
}

/**
 * The end of a deletion: its releases and then its lock go, as the last of all. They stay where the deletion has failed, and where
 * an object stays that a later run is to find in the inventory (docs/concepts/releases.md#deleting-a-deployment).
 */
export async function endDeployment(
  { lock, deployment, endLock }: DeployContext,
  plan: Plan,
  { succeeded, results }: Pick<ApplyResult, "succeeded" | "results">,
): Promise<Ended | undefined> {
  if (!succeeded) return undefined;
  if (keptKeys(plan, results).length > 0) return { remainder: "kept objects", problems: [] };
  const deleted = await catchProblems(() => deleteRecords(lock.cluster, deployment));
  if (deleted.ok) endLock();
  return { remainder: "nothing", problems: deleted.ok ? [] : deleted.problems };
}

/** What belongs to somebody else, or was there before and is no longer declared, needs no release of ours, and neither does a Namespace that only holds these. */
const needless: ReadonlySet<KeptObject["why"]> = new Set([
  "not ours",
  "holds releases",
  "met before",
]);

function keptKeys({ kept }: Plan, results: ApplyResult["results"]): readonly string[] {
  const free = new Set(kept.filter(({ why }) => needless.has(why)).map(({ key }) => key));
  return results
    .filter(({ key, outcome }) => outcome === "kept" && !free.has(key))
    .map(({ key }) => key);
}

/** What stays although the deployment was deleted, and what to do about it. */
export function noticesOfRemainder(
  { kept }: Plan,
  { results }: Pick<ApplyResult, "results">,
  flag: string,
): readonly Problem[] {
  const why = new Map(kept.map((one) => [one.key, one.why]));
  const stay = results.filter(
    ({ key, outcome }) => outcome === "kept" && !needless.has(why.get(key) ?? "in use"),
  );
  const held = kept.filter((one) => one.why === "holds releases");
  const names = stay.map(({ key, detail }) => `${nameOfKey(key)} (${detail})`);
  return [
    ...(stay.length === 0
      ? []
      : [
          {
            code: "kept-object" as const,
            what: `${stay.length === 1 ? "1 object stays" : `${stay.length} objects stay`}, and so do the releases that know of ${stay.length === 1 ? "it" : "them"}: ${listed(names, mostNames)}`,
            fix: `Delete what has a key with ${flag}, or delete it yourself, and then run this again to delete the releases`,
            where: [],
          },
        ]),
    ...held.map(({ id }) => ({
      code: "kept-object" as const,
      what: `${nameOf(id)} stays, since the releases and the lock were in it`,
      fix: `If nothing else is in it: kubectl delete namespace ${id.name}`,
      where: [],
    })),
  ];
}

const mostNames = 10;
