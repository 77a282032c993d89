import type { ApplyResult } from "../../apply/summarize-run.ts";
import { nameFromKey, nameOf } from "../../model/object.ts";
import type { KeptObject } from "../../model/plan/deletion.ts";
import type { Plan } from "../../model/plan/plan.ts";
import { catchProblems } from "../../model/problems/errors.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { deleteRecords } from "../../releases/store.ts";
import type { DeployContext } from "../with-lock.ts";

/** The remains of a deleted deployment: nothing, or kept objects with their releases. */
export type Remainder = "nothing" | "kept objects";

export interface DeletionEnd {
  readonly remainder: Remainder;
  readonly problems: readonly Problem[];
}

/**
 * Ends a deletion by deleting the releases and then the lock.
 * They stay if the deletion failed, or if a later run must find a kept object in the inventory
 * (docs/concepts/releases.md#deleting-a-deployment).
 */
export async function endDeployment(
  { lock, deployment, endLock }: DeployContext,
  plan: Plan,
  { succeeded, results }: Pick<ApplyResult, "succeeded" | "results">,
): Promise<DeletionEnd | undefined> {
  if (!succeeded) return undefined;
  if (keptKeys(plan, results).length > 0) return { remainder: "kept objects", problems: [] };
  const deleted = await catchProblems(() => deleteRecords(lock.cluster, deployment));
  if (deleted.ok) endLock();
  return { remainder: "nothing", problems: deleted.ok ? [] : deleted.problems };
}

/**
 * The reasons to keep an object that needs no release: another owner, or an adopted object that is
 * no longer declared. A Namespace with only these and the releases needs none either.
 */
const reasonsWithoutRelease: ReadonlySet<KeptObject["why"]> = new Set([
  "not ours",
  "holds releases",
  "met before",
]);

function keptKeys({ kept }: Plan, results: ApplyResult["results"]): readonly string[] {
  const withoutRelease = new Set(
    kept.filter(({ why }) => reasonsWithoutRelease.has(why)).map(({ key }) => key),
  );
  return results
    .filter(({ key, outcome }) => outcome === "kept" && !withoutRelease.has(key))
    .map(({ key }) => key);
}

/** Returns notices about objects that stay after the deletion of a deployment, with their fixes. */
export function remainderNotices(
  { kept }: Plan,
  { results }: Pick<ApplyResult, "results">,
  fixes: Pick<Problem, "fix" | "otherwise">,
): readonly Problem[] {
  const why = new Map(kept.map((one) => [one.key, one.why]));
  const stay = results.filter(
    ({ key, outcome }) =>
      outcome === "kept" && !reasonsWithoutRelease.has(why.get(key) ?? "in use"),
  );
  const held = kept.filter((one) => one.why === "holds releases");
  const names = stay.map(({ key, detail }) => `${nameFromKey(key)} (${detail})`);
  return [
    ...(stay.length === 0
      ? []
      : [
          {
            code: "kept-object" as const,
            what: `${stay.length === 1 ? "1 object is" : `${stay.length} objects are`} kept`,
            facts: [{ label: "kept", value: summarizeList(names, maxNames) }],
            why: "The releases are kept too, because their inventory lists the kept objects",
            ...fixes,
            where: [],
          },
        ]),
    ...held.map(({ id }) => ({
      code: "kept-object" as const,
      what: `${nameOf(id)} is kept`,
      why: "It contained the releases and the deployment lock",
      fix: `Run this if the namespace contains nothing else: kubectl delete namespace ${id.name}`,
      where: [],
    })),
  ];
}

const maxNames = 10;
