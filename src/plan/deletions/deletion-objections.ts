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
    return [takesAlong(deleted, inside.map((other) => nameOf(other.id)).toSorted(), deletes)];
  if (isNamespace(id) && id.name === namespace) {
    return [takesAlong(deleted, ["the releases and the lock of this deployment"], deletes)];
  }
  return policy.allowDelete.includes(id.kind) ? [] : [notAllowed(deleted, deletes)];
}

function takesAlong(deleted: DeletedObject, names: readonly string[], deletes: boolean): Problem {
  const name = nameOf(deleted.entry.id);
  const [only] = names;
  const isOne = names.length === 1;
  return {
    code: "protected-deletion",
    subjects: [name],
    what: `${name}: its deletion would also delete ${isOne ? only : `${names.length} objects`}`,
    ...(isOne ? {} : { facts: [{ label: "objects", value: names.join(", ") }] }),
    ...wayToKeep(deleted, deletes),
    where: [],
  };
}

/** Returns why the object would be deleted, and how to keep it. */
function wayToKeep(
  { entry: { id }, live }: DeletedObject,
  deletes: boolean,
): Pick<Problem, "why" | "fix"> & { readonly otherwise: readonly string[] } {
  const annotate = `run kubectl annotate ${argumentsOf(live)} ${keepOnDeleteAnnotation}=kept`;
  return deletes
    ? { fix: `Keep it: ${annotate}`, otherwise: [] }
    : {
        why: "It is no longer declared",
        fix: `Declare ${nameOf(id)} again`,
        otherwise: [`keep it: ${annotate}`],
      };
}

function notAllowed(deleted: DeletedObject, deletes: boolean): Problem {
  const { id } = deleted.entry;
  const keep = wayToKeep(deleted, deletes);
  return {
    code: "protected-deletion",
    subjects: [nameOf(id)],
    what: `${nameOf(id)} would be deleted with everything in it`,
    ...keep,
    otherwise: [...keep.otherwise, `delete it with --allow-delete=${id.kind}`],
    // Only a command deletes a whole deployment. No workflow with such an input does.
    ...(deletes ? {} : { inputs: [`allow-delete: ${id.kind}`] }),
    where: [],
  };
}
