import { nameOf } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { predictDeletions } from "../predict-deletions.ts";
import { findingWithoutPlace, type PreflightInput } from "../rule.ts";

const ignoredCount = 5;

/**
 * Reports a plan that deletes more than half of its objects.
 * A missing overlay or a wrong condition can delete objects that no other guard protects.
 */
export function manyDeletions({
  plan: executed,
  facts,
  purpose = "preview",
}: PreflightInput): readonly Finding[] {
  const plan = predictDeletions(executed, facts, purpose);
  const deleted = withoutSuccessor(plan);
  const live = plan.changes.filter((change) => change.live !== undefined).length;
  const objects = live + plan.deletions.length + plan.kept.length;
  const [first] = deleted;
  if (first === undefined || deleted.length <= ignoredCount || deleted.length * 2 <= objects)
    return [];
  return [
    findingWithoutPlace(first.live, {
      code: "many-deletions",
      severity: "warning",
      what: `${nameOf(first.id)} and ${deleted.length - 1} more objects are deleted`,
      why: `This deployment has ${objects} objects in the cluster, and ${deleted.length} of ${objects} is more than half`,
      fix: "Make sure that no changed condition or parameter removes objects by mistake",
    }),
  ];
}

/**
 * Lists deletions without a new object of the same kind.
 * A deletion with such an object is a usual rename.
 */
function withoutSuccessor({ changes, deletions }: Plan): readonly Deletion[] {
  const created = new Map<string, number>();
  for (const { action, id } of changes) {
    if (action === "create") created.set(id.kind, (created.get(id.kind) ?? 0) + 1);
  }
  return deletions.filter(({ id, prunedRevision }) => {
    const successors = created.get(id.kind) ?? 0;
    if (successors > 0) created.set(id.kind, successors - 1);
    return successors === 0 && prunedRevision === undefined;
  });
}
