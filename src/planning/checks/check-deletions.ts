import pMap from "p-map";
import { spokenOfAs } from "../../model/apply-time-reference.ts";
import { type ApiFailure, meaningOf } from "../../model/cluster/api-failure.ts";
import { isDeniedByWebhook } from "../../model/cluster/api-words.ts";
import { addressOf, type KubeObject, nameOf, type ObjectId, uidOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { showableRefusal } from "../../redaction/showable-refusal.ts";
import type { PlanningContext } from "../planning-context.ts";
import { type Checked, judged, together } from "./checked.ts";

/**
 * The deletions of a plan that permissions or admission would refuse (docs/reference/deployment.md#refusals): they come last,
 * when everything else has changed already. Whatever else goes wrong with a dry-run says nothing about the deletion itself.
 */
export async function checkDeletions(
  context: Pick<PlanningContext, "cluster" | "purpose" | "concurrency">,
  plan: Plan,
): Promise<Checked> {
  const { cluster, concurrency } = context;
  const answers = await pMap(
    toBeDeleted(plan),
    async (one) => {
      const answer = await cluster.tryDelete(addressOf(one.live), uidOf(one.live));
      if (answer.ok || !isRefusal(answer.failure, one)) return [];
      return [judged(context, answer.failure, problemOf(one, answer.failure))];
    },
    { concurrency },
  );
  return together(answers.flat());
}

interface Removed {
  readonly id: ObjectId;
  readonly live: KubeObject;
  /** Others go before it. */
  readonly isLater: boolean;
  /** The live object as it may be spoken of. */
  readonly showable: KubeObject;
  /** What to do instead of deleting it. */
  readonly instead: string;
}

/** What is recreated is deleted, too. */
function toBeDeleted({ changes, deletions }: Plan): readonly Removed[] {
  const replaced = changes.flatMap((change) => {
    const { id, action, live } = change;
    if (action !== "replace" || live === undefined) return [];
    const instead = "give the new object another name";
    return [{ id, live, isLater: false, showable: spokenOfAs(live, change), instead }];
  });
  const undeclared = deletions.map(({ id, live, after }) => {
    const isLater = after.length > 0;
    return { id, live, isLater, showable: live, instead: "declare it again" };
  });
  return [...replaced, ...undeclared].filter(({ id }) => isBuiltIn(id));
}

/**
 * A server of somebody else's behind an APIService may not know dry-runs, and would delete before its time; which groups have such
 * a server can't be seen by everybody. What is not asked about is refused when its turn comes.
 */
function isBuiltIn({ group }: ObjectId): boolean {
  return !group.includes(".") || group.endsWith(".k8s.io");
}

/**
 * 403 is for permissions and webhooks, 422 for policies. A webhook may look at other objects, such as what is in a
 * Namespace, so before those are gone its word is not final.
 */
function isRefusal(failure: ApiFailure, { isLater }: Removed): boolean {
  if (failure.reason !== "forbidden" && failure.reason !== "invalid") return false;
  return !(isLater && isDeniedByWebhook(failure));
}

function problemOf({ id, live, showable, instead }: Removed, failure: ApiFailure): Problem {
  const { code, fix } = meaningOf(
    failure,
    `delete on ${id.kind} of ${live.apiVersion}${place(id)}`,
  );
  return {
    code,
    subjects: [nameOf(id)],
    what: `${nameOf(id)} would be deleted: ${showableRefusal(failure, showable).message}`,
    fix: `${fix}, or ${instead}`,
    where: [],
  };
}

function place({ namespace }: ObjectId): string {
  return namespace === "" ? "" : ` in namespace ${namespace}`;
}
