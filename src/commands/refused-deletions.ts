import { spokenOfAs } from "../model/late-text.ts";
import { addressOf, type KubeObject, nameOf, type ObjectId, uidOf } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import type { Problem } from "../model/problem.ts";
import { showableRefusal } from "../model/showable-refusal.ts";
import type { Cluster, ClusterFailure } from "../ports.ts";
import { inParallel } from "./in-parallel.ts";

/**
 * The deletions of a plan that permissions or admission would refuse (deploy.md §1.1): they come last, when everything else
 * has changed already. Whatever else goes wrong with a dry-run says nothing about the deletion itself.
 */
export async function refusedDeletions(
  cluster: Cluster,
  plan: Plan,
  concurrency: number,
): Promise<readonly Problem[]> {
  const answers = await inParallel(toBeDeleted(plan), concurrency, async (one) => {
    const answer = await cluster.tryDelete(addressOf(one.live), uidOf(one.live));
    return answer.ok || !isRefusal(answer.failure, one) ? [] : [problemOf(one, answer.failure)];
  });
  return answers.flat();
}

interface Doomed {
  readonly id: ObjectId;
  readonly live: KubeObject;
  /** Others go before it. */
  readonly isLater: boolean;
  /** The live object as it may be spoken of. */
  readonly showable: KubeObject;
  /** What to do instead of deleting it. */
  readonly instead: string;
}

/** What is made anew is deleted, too. */
function toBeDeleted({ changes, deletions }: Plan): readonly Doomed[] {
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
function isRefusal({ reason, message }: ClusterFailure, { isLater }: Doomed): boolean {
  if (reason !== "forbidden" && reason !== "invalid") return false;
  return !(isLater && message.startsWith("admission webhook "));
}

function problemOf({ id, live, showable, instead }: Doomed, failure: ClusterFailure): Problem {
  return {
    what: `${nameOf(id)} would be deleted: ${showableRefusal(failure, showable).message}`,
    fix: `Allow delete on ${id.kind} of ${live.apiVersion}${place(id)} to this identity, correct what admission refuses, or ${instead}`,
    where: [],
  };
}

function place({ namespace }: ObjectId): string {
  return namespace === "" ? "" : ` in namespace ${namespace}`;
}
