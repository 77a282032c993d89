import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { isDeletedWith, isNamespace } from "../../model/cluster/holder.ts";
import { type KubeObject, nameOf, type ObjectId } from "../../model/object.ts";
import type { PlanPolicy } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import type { InventoryEntry } from "../../model/release.ts";
import { argumentsOf, isProtected } from "../../ssa/protection.ts";

interface DeletedObject {
  readonly entry: Pick<InventoryEntry, "id">;
  readonly live: KubeObject;
}

interface Circumstances {
  /** The namespace of the releases and the deployment lock. */
  readonly namespace: string;
  readonly policy: Pick<PlanPolicy, "allowDelete">;
  /** Set if the deployment itself is deleted. No object can then be declared again. */
  readonly deletes?: true | undefined;
}

/**
 * Returns the errors for an object that must not be deleted, or only with a flag.
 * See docs/reference/deployment.md#protected-kinds.
 */
export function objectionsTo(
  deleted: DeletedObject,
  remaining: readonly { readonly id: ObjectId }[],
  { namespace, policy, deletes: isDeleted }: Circumstances,
): readonly Problem[] {
  const { id } = deleted.entry;
  const deletes = isDeleted === true;
  if (!isProtected(id)) return [];
  const inside = remaining.filter((other) => isDeletedWith(other.id, { id, live: deleted.live }));
  if (inside.length > 0)
    return [takesAlong(id, inside.map((other) => nameOf(other.id)).toSorted(), deletes)];
  if (isNamespace(id) && id.name === namespace) {
    return [takesAlong(id, ["the releases and the lock of this deployment"], deletes)];
  }
  return policy.allowDelete.includes(id.kind) ? [] : [notAllowed(deleted, deletes)];
}

function takesAlong(id: ObjectId, what: readonly string[], deletes: boolean): Problem {
  const annotate = `put the annotation ${keepOnDeleteAnnotation} on it`;
  return {
    code: "protected-deletion",
    subjects: [nameOf(id)],
    what: `${deletes ? `${nameOf(id)} would be deleted,` : `${nameOf(id)} is no longer declared,`} but deleting it would delete ${what.join(", ")} too`,
    fix: deletes ? `To have it stay, ${annotate}` : `Declare ${nameOf(id)} again, or ${annotate}`,
    where: [],
  };
}

function notAllowed({ entry: { id }, live }: DeletedObject, deletes: boolean): Problem {
  const keep = `run: kubectl annotate ${argumentsOf(live)} ${keepOnDeleteAnnotation}=kept`;
  return {
    code: "protected-deletion",
    subjects: [nameOf(id)],
    what: `${nameOf(id)} ${deletes ? "" : "is no longer declared and "}would be deleted with everything in it`,
    fix: `To delete it, ${deletes ? "add" : "deploy with"} --allow-delete=${id.kind}; to keep it, ${deletes ? "" : "declare it again, or "}${keep}`,
    // Only a command deletes a whole deployment. No workflow with such an input does.
    ...(deletes ? {} : { inputs: [`allow-delete: ${id.kind}`] }),
    where: [],
  };
}
