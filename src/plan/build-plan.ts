import { holdsSecrets } from "../model/apply-time-reference.ts";
import { warningNotices } from "../model/cluster/api-warnings.ts";
import type { KeptObject } from "../model/deletion.ts";
import { idOf, nameOf } from "../model/object.ts";
import type { AwaitedObject, Change, Plan } from "../model/plan.ts";
import { inOrder, ok, type Problem, type Result } from "../model/problems/problem.ts";
import type { LiveObjects } from "../model/release.ts";
import { isOutside, type Owner } from "../ssa/protection.ts";
import { planChange } from "./changes/changes.ts";
import { comingDefinitions } from "./changes/definitions/coming-definitions.ts";
import { groupProblems } from "./changes/problems/group-problems.ts";
import type { DesiredObject } from "./declared/objects.ts";
import { revisionsSoFar } from "./declared/revisions.ts";
import { nothingOwned, withAlsoDeleted } from "./deletions/also-deleted.ts";
import { objectionsToAlsoDeleted } from "./deletions/also-deleted-objections.ts";
import { planDeletions } from "./deletions/deletions.ts";
import { emptyConfigGuard } from "./deletions/empty-config-guard.ts";
import type { WorkloadsByNamespace } from "./deletions/kept.ts";
import { undeletableDependencies } from "./deletions/retain-dependencies.ts";
import { canonicalOperations, digestOperations } from "./digest.ts";
import { orderObjects } from "./order/order.ts";
import { leftInCluster } from "./ownership/left-in-cluster.ts";
import { ownershipNotices, ownershipProblems } from "./ownership/ownership.ts";
import type { Decided, Desired, PlanInput, PlanRules } from "./plan-input.ts";

/** Decides what a deployment does, before anything has changed. Fails only where there is no order to do it in. */
export function buildPlan(input: PlanInput): Result<Decided> {
  const { rules, desired, observed } = input;
  const { deployment, namespace, policy } = rules;
  const order = orderObjects(desired.objects, desired.edges);
  if (!order.ok) return order;
  const definitions = comingDefinitions(input);
  const planned = order.value.map((object) => planChange(object, input, definitions));
  // What the other stage declares is not done away with, though this run does not write it.
  const all = allDeclared(desired);
  const decided = planDeletions({ ...rules, ...observed, only: desired.only, desired: all });
  const { kept, problems } = decided;
  const stays = new Set([...all, ...kept].map(({ key }) => key));
  const { changes, deletions } = withAlsoDeleted(
    planned.map(({ change }) => change),
    decided.deletions,
    { live: observed.live, owned: observed.owned ?? nothingOwned, stays },
  );
  const objections = [
    ...(desired.refused ?? []),
    ...groupProblems(
      planned.flatMap(({ change, problems: ofDryRun }, index) => {
        const ofOwner = ownershipProblems(change, rules, order.value[index]?.where);
        // How to settle a conflict is no help where the object must not be written at all.
        return ofOwner.length > 0 ? ofOwner : ofDryRun;
      }),
    ),
    ...problems,
    ...objectionsToAlsoDeleted(changes, deletions, { ...rules, stays }),
    ...undeletableDependencies(all, desired.edges, deletions),
    // That the running release declares nothing was asked for when it was made.
    ...(rules.deletes === true || rules.corrects === true
      ? []
      : emptyConfigGuard(deployment, all, deletions, policy.allowDelete)),
  ];
  const plan: Plan = {
    deployment,
    namespace,
    ...(desired.only === undefined ? {} : { onlyStage: desired.only.stage }),
    ...(rules.onlyKeys === undefined ? {} : { isPart: true as const }),
    changes,
    deletions,
    kept,
    revisions: revisionsSoFar(desired.objects, observed.live, observed.history.revisions),
    awaited: awaitedObjects(changes, observed.live),
    notices: [
      ...desired.notices,
      ...groupProblems(noticesOf(changes, kept, rules)),
      ...planned.flatMap(({ change }, index) =>
        leftInCluster(order.value[index] as DesiredObject, change, input),
      ),
      ...(policy.keepRevisions === undefined ? [] : uncheckedUses(observed.users)),
    ],
    digest: rules.hash(canonicalOperations(deployment, changes, deletions, rules.hides)),
    operations: digestOperations(deployment, changes, deletions, rules),
  };
  return ok({ plan, problems: inOrder(objections) });
}

/** What the other stage declares is not done away with, though this run does not write it. */
export function allDeclared({ objects, only, untouched = [] }: Desired): readonly DesiredObject[] {
  return [...objects, ...((only?.others ?? []) as readonly DesiredObject[]), ...untouched];
}

/** What edges point to outside the deployment, sorted. */
function awaitedObjects(changes: readonly Change[], live: LiveObjects): readonly AwaitedObject[] {
  const declared = new Set(changes.map((change) => change.key));
  const outside = new Set(
    changes
      .flatMap(({ after }) => after.map((edge) => edge.on))
      .filter((key) => !declared.has(key)),
  );
  return [...outside].toSorted().flatMap((key) => {
    const found = live.get(key);
    return found === undefined ? [] : [{ key, id: idOf(found), live: found }];
  });
}

function noticesOf(
  changes: readonly Change[],
  kept: readonly KeptObject[],
  owner: Owner & Pick<PlanRules, "deletes">,
): readonly Problem[] {
  const stays = owner.deletes === true ? "stays" : "is no longer declared but stays";
  return [
    ...changes.flatMap((change) => ownershipNotices(change, owner.deployment)),
    ...changes.flatMap((change) => hiddenByRecords(change, owner)),
    ...warningNotices(changes),
    ...kept.filter(({ why }) => why === "met before").map(leftAsMet),
    ...kept
      .filter(({ why }) => why === "not ours")
      .map(
        ({ id, detail, claim }): Problem => ({
          code: "kept-object",
          subjects: [nameOf(id)],
          what: `${nameOf(id)} ${stays}: ${detail}`,
          fix: isOutside(id, owner) ? fixElsewhere(claim) : fixHere,
          where: [],
        }),
      ),
  ];
}

/** Its fields stay as this deployment has written them last. */
function leftAsMet({ id, detail }: KeptObject): Problem {
  return {
    code: "kept-object",
    subjects: [nameOf(id)],
    what: `${nameOf(id)} is not declared but stays: ${detail}`,
    fix: "Look at what it holds now: what was declared of it stays in it. Delete it yourself if nobody needs it",
    where: [],
  };
}

/**
 * A forged record could hide a change from whoever looks at a preview, so that something is hidden by records alone is said. Where the
 * manifest takes a Secret's value itself, nobody wonders.
 */
function hiddenByRecords(change: Change, { namespace }: Owner): readonly Problem[] {
  const { id, action, late, previousSecretValues = [] } = change;
  if (action === "unchanged" || previousSecretValues.length === 0 || holdsSecrets(late)) return [];
  return [
    {
      code: "hidden-values",
      subjects: [nameOf(id)],
      what: `${nameOf(id)}: texts that came from Secrets are not shown, as recorded by releases in namespace ${namespace}`,
      fix: "If nothing in it ever came from a Secret, find out who has changed the releases: everybody who may write Secrets there can",
      where: [],
    },
  ];
}

const fixHere = "Delete it yourself if it is no longer needed";

/** A release may have been changed by somebody who wants it gone. */
function fixElsewhere(claim: string | undefined): string {
  const known = "Leave it alone unless you know that this deployment created it";
  return claim === undefined
    ? known
    : `${known}; then delete it yourself, or have the next deployment delete it: ${claim}`;
}

/** Where nothing goes because it might be used. */
function uncheckedUses(users: WorkloadsByNamespace): readonly Problem[] {
  return [...users].flatMap(([namespace, found]) =>
    typeof found === "string"
      ? [
          {
            code: "missing-permission",
            what: `The workloads that use kept objects of namespace ${namespace} can't be listed, so none of these objects is deleted: ${found}`,
            fix: "Allow this identity to list Pods and the objects that create them",
            where: [],
          },
        ]
      : [],
  );
}
