import { keepOnDeleteAnnotation } from "../../model/annotations.ts";
import { isDeletedWith, isNamespace } from "../../model/cluster/namespaces-and-crds.ts";
import type { InventoryEntry } from "../../model/deployments/release.ts";
import { type KubeObject, nameOf, type ObjectId } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { PlanPolicy } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { allowEverything, isProtected, kubectlArguments } from "../../ssa/protection.ts";

/** The maximum number of objects that the message names. */
const maxNames = 5;

/**
 * Blocks a deployment without any manifest from deleting all its objects.
 * A false condition or a wrong file is far more often the cause than the end of an application.
 * Only a flag allows the deletion.
 */
export function emptyConfigGuard(
  deployment: string,
  desired: readonly unknown[],
  deletions: readonly Deletion[],
  allowDelete: readonly string[],
): readonly Problem[] {
  if (desired.length > 0 || deletions.length === 0 || allowDelete.includes(allowEverything))
    return [];
  const names = deletions.map(({ id }) => nameOf(id)).toSorted();
  return [
    {
      code: "empty-config",
      what: `"${deployment}" no longer declares any object`,
      why: `${objectCount(names.length)} would be deleted`,
      facts: [{ label: "objects", value: summarizeList(names, maxNames) }],
      fix: "Find out what made the config empty",
      otherwise: [`delete all its objects with --allow-delete=${allowEverything}`],
      inputs: [`allow-delete: ${allowEverything}`],
      where: [],
    },
  ];
}

function objectCount(objects: number): string {
  return objects === 1 ? "1 live object" : `All ${objects} live objects`;
}

interface DeletedObject {
  readonly entry: Pick<InventoryEntry, "id">;
  readonly live: KubeObject;
}

interface DeletionRules {
  /** The namespace of the releases and the deployment lock. */
  readonly namespace: string;
  readonly policy: Pick<PlanPolicy, "allowDelete">;
  /** Set if the deployment itself is deleted. No object can then be declared again. */
  readonly deletes?: true | undefined;
}

/** The objects that stay. */
interface Remaining {
  readonly declared: readonly { readonly id: ObjectId }[];
  readonly kept: readonly { readonly id: ObjectId }[];
}

/**
 * Returns the errors for an object that must not be deleted, or only with a flag.
 * See docs/reference/deployment.md#protected-kinds.
 */
export function deletionProblems(
  deleted: DeletedObject,
  remaining: Remaining,
  { namespace, policy, deletes: isDeleted }: DeletionRules,
): readonly Problem[] {
  const { id } = deleted.entry;
  const deletes = isDeleted === true;
  if (!isProtected(id)) return [];
  const declared = namesWithin(deleted, remaining.declared);
  const kept = namesWithin(deleted, remaining.kept);
  if (declared.length + kept.length > 0) return [takesStaying(deleted, declared, kept, deletes)];
  if (isNamespace(id) && id.name === namespace) {
    return [alsoDeletesProblem(deleted, ["the releases and the lock of this deployment"], deletes)];
  }
  return policy.allowDelete.includes(id.kind) ? [] : [protectedKindProblem(deleted, deletes)];
}

/** Returns the names of the objects that are deleted with it. */
function namesWithin(
  { entry: { id }, live }: DeletedObject,
  objects: readonly { readonly id: ObjectId }[],
): readonly string[] {
  const inside = objects.filter((other) => isDeletedWith(other.id, { id, live }));
  return inside.map((other) => nameOf(other.id));
}

/**
 * Reports an object with which declared or kept objects would be deleted.
 * No flag allows that. They must leave first.
 */
function takesStaying(
  deleted: DeletedObject,
  declared: readonly string[],
  kept: readonly string[],
  deletes: boolean,
): Problem {
  const { kind } = deleted.entry.id;
  const objection = alsoDeletesProblem(deleted, [...declared, ...kept].toSorted(), deletes);
  const steps = [
    ...(declared.length === 0
      ? []
      : [
          `remove ${declared.length === 1 ? declared[0] : "the declared objects"} from the config as well`,
        ]),
    ...(kept.length === 0
      ? []
      : [`delete ${kept.length === 1 ? kept[0] : "the kept objects"} manually`]),
  ];
  const all = declared.length + kept.length === 1 ? "both" : "all of them";
  return {
    ...objection,
    why: [objection.why, whyNoFlag(declared, kept)].filter((each) => each !== undefined).join(". "),
    otherwise: [
      ...(objection.otherwise ?? []),
      `delete ${all}: ${[...steps, `and use --allow-delete=${kind}`].join(", ")}`,
    ],
    ...inputsFor(kind, deletes),
  };
}

function whyNoFlag(declared: readonly string[], kept: readonly string[]): string {
  const states = [
    ...(declared.length === 0 ? [] : ["declared"]),
    ...(kept.length === 0 ? [] : ["kept"]),
  ];
  return `No flag allows a deletion that also deletes ${states.join(" or ")} objects`;
}

function alsoDeletesProblem(
  deleted: DeletedObject,
  names: readonly string[],
  deletes: boolean,
): Problem {
  const name = nameOf(deleted.entry.id);
  const [only] = names;
  const isOne = names.length === 1;
  return {
    code: "protected-deletion",
    subjects: [name],
    what: `${name}: its deletion would also delete ${isOne ? only : `${names.length} objects`}`,
    ...(isOne ? {} : { facts: [{ label: "objects", value: names.join(", ") }] }),
    ...keepAdvice(deleted, deletes),
    where: [],
  };
}

/** Returns why the object would be deleted, and how to keep it. */
function keepAdvice(
  { entry: { id }, live }: DeletedObject,
  deletes: boolean,
): Pick<Problem, "why" | "fix"> & { readonly otherwise: readonly string[] } {
  const annotate = `run this on its cluster, then run qvs again: kubectl annotate ${kubectlArguments(live)} ${keepOnDeleteAnnotation}=kept`;
  return deletes
    ? { fix: `Keep it: ${annotate}`, otherwise: [] }
    : {
        why: "It is no longer declared",
        fix: `Declare ${nameOf(id)} again`,
        otherwise: [`keep it: ${annotate}`],
      };
}

function protectedKindProblem(deleted: DeletedObject, deletes: boolean): Problem {
  const { id } = deleted.entry;
  const keep = keepAdvice(deleted, deletes);
  return {
    code: "protected-deletion",
    subjects: [nameOf(id)],
    what: `${nameOf(id)} would be deleted with everything in it`,
    ...keep,
    otherwise: [...keep.otherwise, `delete it with --allow-delete=${id.kind}`],
    ...inputsFor(id.kind, deletes),
    where: [],
  };
}

/** Only a command deletes a whole deployment. No workflow with such an input does. */
function inputsFor(kind: string, deletes: boolean): Pick<Problem, "inputs"> {
  return deletes ? {} : { inputs: [`allow-delete: ${kind}`] };
}
