import { checkKey } from "../model/deployments/deployment-checks.ts";
import type { LiveObjects } from "../model/deployments/release.ts";
import { idOf } from "../model/object.ts";
import type { Deletion } from "../model/plan/deletion.ts";
import type { AwaitedObject, Change, CheckGate, Plan } from "../model/plan/plan.ts";
import { ok, type Problem, type Result, sortProblems } from "../model/problems/problem.ts";
import { collectPendingCrds } from "./changes/crds/pending-crds.ts";
import { type PlannedChange, planChange } from "./changes/plan-change.ts";
import { groupProblems } from "./changes/problems/record-fixes.ts";
import type { DesiredObject } from "./declared/objects.ts";
import { revisionsSoFar } from "./declared/revisions.ts";
import { addAlsoDeleted, noOwnedObjects } from "./deletions/also-deleted.ts";
import { alsoDeletedProblems } from "./deletions/also-deleted-problems.ts";
import { emptyConfigGuard } from "./deletions/deletion-problems.ts";
import { planDeletions, remainsAfterDeletions } from "./deletions/plan-deletions.ts";
import { undeletableDependencies } from "./deletions/retain-dependencies.ts";
import { canonicalOperations, digestObjects, digestOperations, scrubAnswers } from "./digest.ts";
import { foreignNamespaceProblems } from "./environment-limits.ts";
import { orderObjects } from "./order/order.ts";
import { ownershipProblems } from "./ownership/ownership.ts";
import type { Desired, PlanDecision, PlanInput } from "./plan-input.ts";
import { planNotices } from "./plan-notices.ts";

/**
 * Decides all operations of a deployment before anything changes.
 * Fails only if the dependencies allow no order.
 */
export function buildPlan(input: PlanInput): Result<PlanDecision> {
  const { rules, desired, observed } = input;
  const { deployment, namespace } = rules;
  const order = orderObjects(desired.objects, desired.edges);
  if (!order.ok) return order;
  const pendingCrds = collectPendingCrds(input);
  const planned = order.value.map((object) => ({
    object,
    ...planChange(object, input, pendingCrds),
  }));
  const all = allDeclared(desired);
  const decided = planDeletions({ ...rules, ...observed, only: desired.only, desired: all });
  const { kept, problems: deletionProblems } = decided;
  const remaining = all.filter(remainsAfterDeletions);
  const remainingKeys = new Set([...remaining, ...kept].map(({ key }) => key));
  const { changes, deletions } = addAlsoDeleted(
    planned.map(({ change }) => change),
    decided.deletions,
    { live: observed.live, owned: observed.owned ?? noOwnedObjects, remainingKeys },
  );
  const gates = planGates(changes, input);
  const blocking = blockingProblems(input, {
    planned,
    all,
    remainingKeys,
    changes,
    deletions,
    deletionProblems,
  });
  const capabilities = scrubAnswers(rules.capabilities, rules.hides);
  const plan: Plan = {
    deployment,
    namespace,
    ...(desired.only === undefined ? {} : { onlyStage: desired.only.stage }),
    ...(rules.onlyKeys === undefined ? {} : { isPartial: true as const }),
    changes,
    deletions,
    kept,
    revisions: revisionsSoFar(desired.objects, observed.live, observed.history.revisions),
    ...(rules.health === undefined ? {} : { health: rules.health }),
    awaited: awaitedObjects(changes, observed.live),
    ...(rules.checks === undefined || rules.checks.length === 0 ? {} : { checks: rules.checks }),
    ...(gates.length === 0 ? {} : { gates }),
    ...(capabilities.length === 0 ? {} : { capabilities }),
    ...(rules.hasCheckJobs === true ? { hasCheckJobs: true } : {}),
    notices: planNotices(input, { planned, declared: all, changes, kept }),
    digest: rules.hash(canonicalOperations(deployment, changes, deletions, { ...rules, gates })),
    operations: digestOperations(deployment, changes, deletions, { ...rules, gates }),
  };
  return ok({ plan, problems: sortProblems(blocking) });
}

interface PlannedObjects {
  readonly planned: readonly (PlannedChange & { readonly object: DesiredObject })[];
  readonly all: readonly DesiredObject[];
  readonly remainingKeys: ReadonlySet<string>;
  readonly changes: readonly Change[];
  readonly deletions: readonly Deletion[];
  /** The errors that block deletions. */
  readonly deletionProblems: readonly Problem[];
}

/** Lists the errors that block the plan. */
function blockingProblems(
  { rules, desired, observed }: PlanInput,
  { planned, all, remainingKeys, changes, deletions, deletionProblems }: PlannedObjects,
): readonly Problem[] {
  return [
    ...(desired.refused ?? []),
    ...foreignNamespaceProblems(changes, observed.inventory, rules),
    ...groupProblems(
      planned.flatMap(({ object, change, problems: ofDryRun }) => {
        const remaining = observed.remaining?.get(change.key);
        const ofOwner = ownershipProblems(change, rules, object.where, remaining);
        // Advice about a conflict doesn't help if qvs must not write the object at all.
        return ofOwner.length > 0 ? ofOwner : ofDryRun;
      }),
    ),
    ...deletionProblems,
    ...alsoDeletedProblems(changes, deletions, { ...rules, stays: remainingKeys }),
    // A hook before the deletions has ended when its dependencies are deleted.
    ...undeletableDependencies(all.filter(remainsAfterDeletions), desired.edges, deletions),
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

/**
 * Returns the checks that planned objects wait for, in the order of the config. A check runs before
 * unchanged objects too, so that its place doesn't depend on the state of the cluster.
 */
function planGates(
  changes: readonly Change[],
  { rules, desired }: Pick<PlanInput, "rules" | "desired">,
): readonly CheckGate[] {
  return (rules.checks ?? []).flatMap(({ name }) => {
    const key = checkKey(rules.namespace, { name });
    const waiting = changes.filter(({ after }) => after.some(({ on }) => on === key));
    const [first] = waiting;
    if (first === undefined) return [];
    return [
      {
        ...{ key, name, stage: first.stage, after: desired.edges.get(key) ?? [] },
        before: waiting.map((change) => change.key),
        digest: digestObjects(waiting, rules),
      },
    ];
  });
}
