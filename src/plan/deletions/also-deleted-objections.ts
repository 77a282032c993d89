import { deletesItsClaims, isClaim } from "../../model/cluster/claims.ts";
import type { AlsoDeleted, AlsoDeletedObject, Deletion } from "../../model/deletion.ts";
import { idOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { Change, PlanPolicy } from "../../model/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { listed } from "../../model/text/closest.ts";
import { argumentsOf, isProtected } from "../../ssa/protection.ts";

interface Circumstances {
  readonly deployment: string;
  readonly policy: Pick<PlanPolicy, "allowDelete">;
  /** The keys of the objects that are declared or kept. */
  readonly stays: ReadonlySet<string>;
  /** Set if the deployment itself is deleted. No object can then be declared again. */
  readonly deletes?: true | undefined;
}

interface Removed {
  readonly live: KubeObject;
  readonly alsoDeleted: AlsoDeleted;
  /** The middle of the message, e.g. `is no longer declared, and deleting it`. */
  readonly how: string;
  /** The alternative to the deletion, as advice. */
  readonly instead: string;
}

/**
 * Returns the errors for deletions and recreations that would delete other objects, too.
 * See docs/reference/deployment.md#objects-deleted-by-kubernetes.
 */
export function objectionsToAlsoDeleted(
  changes: readonly Change[],
  deletions: readonly Deletion[],
  circumstances: Circumstances,
): readonly Problem[] {
  const recreated = changes.flatMap(({ live, alsoDeleted }) =>
    live === undefined || alsoDeleted === undefined
      ? []
      : [
          {
            live,
            alsoDeleted,
            how: "would be recreated, and deleting it",
            instead: "Give the new object another name",
          },
        ],
  );
  const deleted = deletions.flatMap(({ live, alsoDeleted }) =>
    alsoDeleted === undefined ? [] : [{ live, alsoDeleted, ...waysOf(live, circumstances) }],
  );
  return [...recreated, ...deleted].flatMap((removed) => objectionsTo(removed, circumstances));
}

function waysOf(live: KubeObject, { deletes }: Circumstances): Pick<Removed, "how" | "instead"> {
  return deletes === true
    ? {
        how: "would be deleted, and that",
        instead: "Delete it yourself once nothing depends on it",
      }
    : {
        how: "is no longer declared, and deleting it",
        instead: `Declare ${nameOf(idOf(live))} again`,
      };
}

function objectionsTo(removed: Removed, circumstances: Circumstances): readonly Problem[] {
  const { objects } = removed.alsoDeleted;
  const staying = objects.filter((one) => mustStay(one, circumstances));
  if (staying.length > 0) return [takesAlong(removed, staying)];
  const protectedAmong = objects.filter(
    ({ id }) => isProtected(id) && !circumstances.policy.allowDelete.includes(id.kind),
  );
  const kinds = [...new Set(protectedAmong.map(({ id }) => id.kind))];
  return kinds.map((kind) =>
    takesProtected(
      removed,
      kind,
      protectedAmong.filter(({ id }) => id.kind === kind),
    ),
  );
}

/**
 * Reports whether an object is declared, kept, or another deployment's.
 * No flag allows its deletion.
 */
function mustStay(
  { key, deployment }: AlsoDeletedObject,
  { stays, deployment: own }: Pick<Circumstances, "stays" | "deployment">,
): boolean {
  return stays.has(key) || (deployment !== undefined && deployment !== own);
}

const mostNames = 5;

function namesOf(alsoDeleted: readonly AlsoDeletedObject[]): string {
  return listed(
    alsoDeleted.map(({ id }) => nameOf(id)),
    mostNames,
  );
}

function takesAlong(
  { live, how, instead }: Removed,
  alsoDeleted: readonly AlsoDeletedObject[],
): Problem {
  const name = nameOf(idOf(live));
  const names = namesOf(alsoDeleted);
  const is =
    alsoDeleted.length === 1 ? "which names it as its owner" : "which name it as their owner";
  return {
    code: "protected-deletion",
    subjects: [name],
    what: `${name} ${how} would delete ${names}, too, ${is}`,
    fix: `${instead}, or remove it from metadata.ownerReferences of ${names}`,
    where: [],
  };
}

function takesProtected(
  { live, how, alsoDeleted }: Removed,
  kind: string,
  found: readonly AlsoDeletedObject[],
): Problem {
  const name = nameOf(idOf(live));
  const unread =
    alsoDeleted.unread === undefined
      ? ""
      : ` (by their names, since claims can't be listed: ${alsoDeleted.unread})`;
  return {
    code: "protected-deletion",
    subjects: [name],
    what: `${name} ${how} would delete ${namesOf(found)}, too${unread}`,
    fix: `To delete them, add --allow-delete=${kind}; to keep them, ${wayToKeep(live, found)}`,
    inputs: [`allow-delete: ${kind}`],
    where: [],
  };
}

function wayToKeep(live: KubeObject, found: readonly AlsoDeletedObject[]): string {
  if (!deletesItsClaims(live) || !found.every(({ id }) => isClaim(id))) {
    return `remove their owners from metadata.ownerReferences of ${namesOf(found)}`;
  }
  const policy = '{"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain"}}}';
  return `first run: kubectl patch ${argumentsOf(live)} --type=merge -p '${policy}'`;
}
