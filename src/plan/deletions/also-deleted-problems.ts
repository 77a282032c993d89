import { deletesOwnClaims, isClaim } from "../../model/cluster/persistent-volume-claims.ts";
import { idOf, type KubeObject, nameOf } from "../../model/object.ts";
import type { AlsoDeleted, AlsoDeletedObject, Deletion } from "../../model/plan/deletion.ts";
import type { Change, PlanPolicy } from "../../model/plan/plan.ts";
import type { Problem } from "../../model/problems/problem.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import { isProtected, kubectlArguments } from "../../ssa/protection.ts";

interface AlsoDeletedRules {
  readonly deployment: string;
  readonly policy: Pick<PlanPolicy, "allowDelete">;
  /** The keys of the objects that are declared or kept. */
  readonly stays: ReadonlySet<string>;
  /** Set if the deployment itself is deleted. No object can then be declared again. */
  readonly deletes?: true | undefined;
}

interface RemovedObject {
  readonly live: KubeObject;
  readonly alsoDeleted: AlsoDeleted;
  /** The reason for the deletion as a sentence; undefined if the whole deployment is deleted. */
  readonly why: string | undefined;
  /** The alternative to the deletion, as advice. */
  readonly instead: string;
}

/**
 * Returns the errors for deletions and recreations that would delete other objects, too.
 * See docs/reference/deployment.md#objects-deleted-by-kubernetes.
 */
export function alsoDeletedProblems(
  changes: readonly Change[],
  deletions: readonly Deletion[],
  rules: AlsoDeletedRules,
): readonly Problem[] {
  const recreated = changes.flatMap(({ live, alsoDeleted }) =>
    live === undefined || alsoDeleted === undefined
      ? []
      : [
          {
            live,
            alsoDeleted,
            why: "qvs would recreate it",
            instead: "Give the new object another name",
          },
        ],
  );
  const deleted = deletions.flatMap(({ live, alsoDeleted }) =>
    alsoDeleted === undefined ? [] : [{ live, alsoDeleted, ...deletionReason(live, rules) }],
  );
  return [...recreated, ...deleted].flatMap((removed) => removalProblems(removed, rules));
}

function deletionReason(
  live: KubeObject,
  { deletes }: AlsoDeletedRules,
): Pick<RemovedObject, "why" | "instead"> {
  return deletes === true
    ? { why: undefined, instead: "Delete it manually when nothing depends on it" }
    : { why: "It is no longer declared", instead: `Declare ${nameOf(idOf(live))} again` };
}

function removalProblems(removed: RemovedObject, rules: AlsoDeletedRules): readonly Problem[] {
  const { objects } = removed.alsoDeleted;
  const required = objects.filter((one) => mustStay(one, rules));
  if (required.length > 0) return [remainingObjectProblem(removed, required)];
  const protectedAmong = objects.filter(
    ({ id }) => isProtected(id) && !rules.policy.allowDelete.includes(id.kind),
  );
  const kinds = [...new Set(protectedAmong.map(({ id }) => id.kind))];
  return kinds.map((kind) =>
    protectedKindProblem(
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
  { stays, deployment: own }: Pick<AlsoDeletedRules, "stays" | "deployment">,
): boolean {
  return stays.has(key) || (deployment !== undefined && deployment !== own);
}

const maxNames = 5;

function objectNames(alsoDeleted: readonly AlsoDeletedObject[]): string {
  return summarizeList(
    alsoDeleted.map(({ id }) => nameOf(id)),
    maxNames,
  );
}

function remainingObjectProblem(
  { live, why, instead }: RemovedObject,
  alsoDeleted: readonly AlsoDeletedObject[],
): Problem {
  const name = nameOf(idOf(live));
  const names = objectNames(alsoDeleted);
  const ownerText =
    alsoDeleted.length === 1
      ? `${names} names it as its owner`
      : "These objects name it as their owner";
  return {
    code: "protected-deletion",
    subjects: [name],
    ...effectText(name, alsoDeleted),
    why: joinReasons(why, ownerText),
    fix: instead,
    otherwise: [`remove it from metadata.ownerReferences of ${names}`],
    where: [],
  };
}

function effectText(
  name: string,
  found: readonly AlsoDeletedObject[],
): Pick<Problem, "what" | "facts"> {
  const names = objectNames(found);
  return found.length === 1
    ? { what: `${name}: its deletion would also delete ${names}` }
    : {
        what: `${name}: its deletion would also delete ${found.length} objects`,
        facts: [{ label: "objects", value: names }],
      };
}

function joinReasons(...texts: readonly (string | undefined)[]): string | undefined {
  const known = texts.filter((text) => text !== undefined);
  return known.length === 0 ? undefined : known.join(". ");
}

function protectedKindProblem(
  { live, why, alsoDeleted }: RemovedObject,
  kind: string,
  found: readonly AlsoDeletedObject[],
): Problem {
  const name = nameOf(idOf(live));
  const { unread } = alsoDeleted;
  const { what, facts = [] } = effectText(name, found);
  return {
    code: "protected-deletion",
    subjects: [name],
    what,
    why: joinReasons(why, unread === undefined ? undefined : claimsKnownByName),
    facts: [...facts, ...(unread === undefined ? [] : [{ label: "answer", value: unread }])],
    fix: keepAdvice(live, found),
    otherwise: [`delete ${found.length === 1 ? "it" : "them"} with --allow-delete=${kind}`],
    inputs: [`allow-delete: ${kind}`],
    where: [],
  };
}

const claimsKnownByName =
  "qvs can't list PersistentVolumeClaims and knows these only by the names of their Pods";

function keepAdvice(live: KubeObject, found: readonly AlsoDeletedObject[]): string {
  if (!deletesOwnClaims(live) || !found.every(({ id }) => isClaim(id))) {
    return `Remove the owners from metadata.ownerReferences of ${objectNames(found)}`;
  }
  const policy = '{"spec":{"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain"}}}';
  return `Keep the data: first run kubectl patch ${kubectlArguments(live)} --type=merge -p '${policy}'`;
}
