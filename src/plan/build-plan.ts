import type { Deletion } from "../model/deletion.ts";
import { idOf } from "../model/object.ts";
import type { AwaitedObject, Change, Plan } from "../model/plan.ts";
import { ok, type Problem, type Result, sortProblems } from "../model/problems/problem.ts";
import type { LiveObjects } from "../model/release.ts";
import { type PlannedChange, planChange } from "./changes/changes.ts";
import { comingDefinitions } from "./changes/definitions/coming-definitions.ts";
import { groupProblems } from "./changes/problems/group-problems.ts";
import type { DesiredObject } from "./declared/objects.ts";
import { revisionsSoFar } from "./declared/revisions.ts";
import { nothingOwned, withAlsoDeleted } from "./deletions/also-deleted.ts";
import { objectionsToAlsoDeleted } from "./deletions/also-deleted-objections.ts";
import { planDeletions } from "./deletions/deletions.ts";
import { emptyConfigGuard } from "./deletions/empty-config-guard.ts";
import { undeletableDependencies } from "./deletions/retain-dependencies.ts";
import { canonicalOperations, digestOperations } from "./digest.ts";
import { planNotices } from "./notices.ts";
import { orderObjects } from "./order/order.ts";
import { ownershipProblems } from "./ownership/ownership.ts";
import type { Decided, Desired, PlanInput } from "./plan-input.ts";

/**
 * Decides all operations of a deployment before anything changes.
 * Fails only if the dependencies allow no order.
 */
export function buildPlan(input: PlanInput): Result<Decided> {
  const { rules, desired, observed } = input;
  const { deployment, namespace } = rules;
  const order = orderObjects(desired.objects, desired.edges);
  if (!order.ok) return order;
  const definitions = comingDefinitions(input);
  const planned = order.value.map((object) => ({
    object,
    ...planChange(object, input, definitions),
  }));
  const all = allDeclared(desired);
  const decided = planDeletions({ ...rules, ...observed, only: desired.only, desired: all });
  const { kept, problems: refused } = decided;
  const stays = new Set([...all, ...kept].map(({ key }) => key));
  const { changes, deletions } = withAlsoDeleted(
    planned.map(({ change }) => change),
    decided.deletions,
    { live: observed.live, owned: observed.owned ?? nothingOwned, stays },
  );
  const blocking = objections(input, { planned, all, stays, changes, deletions, refused });
  const plan: Plan = {
    deployment,
    namespace,
    ...(desired.only === undefined ? {} : { onlyStage: desired.only.stage }),
    ...(rules.onlyKeys === undefined ? {} : { isPartial: true as const }),
    changes,
    deletions,
    kept,
    revisions: revisionsSoFar(desired.objects, observed.live, observed.history.revisions),
    awaited: awaitedObjects(changes, observed.live),
    notices: planNotices(input, { planned, declared: all, changes, kept }),
    digest: rules.hash(canonicalOperations(deployment, changes, deletions, rules.hides)),
    operations: digestOperations(deployment, changes, deletions, rules),
  };
  return ok({ plan, problems: sortProblems(blocking) });
}

interface Planned {
  readonly planned: readonly (PlannedChange & { readonly object: DesiredObject })[];
  readonly all: readonly DesiredObject[];
  readonly stays: ReadonlySet<string>;
  readonly changes: readonly Change[];
  readonly deletions: readonly Deletion[];
  /** The errors that block deletions. */
  readonly refused: readonly Problem[];
}

/** Lists the errors that block the plan. */
function objections(
  { rules, desired, observed }: PlanInput,
  { planned, all, stays, changes, deletions, refused }: Planned,
): readonly Problem[] {
  return [
    ...(desired.refused ?? []),
    ...groupProblems(
      planned.flatMap(({ object, change, problems: ofDryRun }) => {
        const remaining = observed.remaining?.get(change.key);
        const ofOwner = ownershipProblems(change, rules, object.where, remaining);
        // Advice about a conflict doesn't help if qvs must not write the object at all.
        return ofOwner.length > 0 ? ofOwner : ofDryRun;
      }),
    ),
    ...refused,
    ...objectionsToAlsoDeleted(changes, deletions, { ...rules, stays }),
    ...undeletableDependencies(all, desired.edges, deletions),
    // An empty config is intended here: the user requested the deletion, or deployed the current
    // release without objects.
    ...(rules.deletes === true || rules.corrects === true
      ? []
      : emptyConfigGuard(rules.deployment, all, deletions, rules.policy.allowDelete)),
  ];
}

/**
 * Lists all declared objects.
 * The objects of the other stage stay, although this run doesn't write them.
 */
export function allDeclared({ objects, only, untouched = [] }: Desired): readonly DesiredObject[] {
  return [...objects, ...((only?.others ?? []) as readonly DesiredObject[]), ...untouched];
}

/** Lists the objects outside the deployment that changes wait for, sorted by key. */
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
