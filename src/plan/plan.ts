import { idOf, nameOf } from "../model/object.ts";
import type { AwaitedObject, Change, KeptObject, Plan } from "../model/plan.ts";
import { failed, ok, type Problem, type Result } from "../model/problem.ts";
import type { LiveObjects } from "../model/release.ts";
import { planChange } from "./changes/changes.ts";
import { gatherAlike } from "./changes/gather-alike.ts";
import { revisionsSoFar } from "./declared/revisions.ts";
import { planDeletions } from "./deletions/deletions.ts";
import { problemsOfEmptiness } from "./deletions/emptiness.ts";
import type { PodUsers } from "./deletions/kept.ts";
import { problemsOfNeeded } from "./deletions/needed.ts";
import { canonicalOperations } from "./digest.ts";
import { orderObjects } from "./order/order.ts";
import { ownershipNotices, ownershipProblems } from "./ownership/ownership.ts";
import type { PlanInput } from "./plan-input.ts";

/** Decides what a deployment does, or returns everything that stands in its way, before anything has changed. */
export function planDeployment(input: PlanInput): Result<Plan> {
  const order = orderObjects(input.desired, input.edges);
  if (!order.ok) return order;
  const planned = order.value.map((object) => planChange(object, input));
  const changes = planned.map(({ change }) => change);
  // What the other stage declares is not done away with, though this run does not write it.
  const desired = [...input.desired, ...(input.only?.others ?? [])];
  const { deletions, kept, problems } = planDeletions({ ...input, desired });
  const all = [
    ...gatherAlike(
      planned.flatMap(({ change, problems: ofDryRun }, index) => {
        const ofOwner = ownershipProblems(change, input.deployment, order.value[index]?.where);
        // How to settle a conflict is no help where the object must not be written at all.
        return ofOwner.length > 0 ? ofOwner : ofDryRun;
      }),
    ),
    ...problems,
    ...problemsOfNeeded(desired, input.edges, deletions),
    ...problemsOfEmptiness(input.deployment, desired, deletions, input.policy.allowDelete),
  ];
  if (all.length > 0) return failed(all);
  return ok({
    deployment: input.deployment,
    ...(input.only === undefined ? {} : { onlyStage: input.only.stage }),
    changes,
    deletions,
    kept,
    revisions: revisionsSoFar(input.desired, input.live, input.history.revisions),
    awaited: awaitedObjects(changes, input.live),
    notices: [
      ...input.notices,
      ...noticesOf(changes, kept, input.deployment),
      ...(input.policy.keepRevisions === undefined ? [] : blindSpots(input.users)),
    ],
    digest: input.hash(canonicalOperations(input.deployment, changes, deletions)),
  });
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
  deployment: string,
): readonly Problem[] {
  return [
    ...changes.flatMap((change) => ownershipNotices(change, deployment)),
    ...kept
      .filter(({ why }) => why === "not ours")
      .map(({ id, detail }) => ({
        what: `${nameOf(id)} is no longer declared but stays: ${detail}`,
        fix: "Delete it yourself if nobody needs it any more",
        where: [],
      })),
  ];
}

/** Where nothing goes because it might be used. */
function blindSpots(users: PodUsers): readonly Problem[] {
  return [...users].flatMap(([namespace, found]) =>
    typeof found === "string"
      ? [
          {
            what: `Who uses the kept objects of namespace ${namespace} can't be seen, so none of them is deleted: ${found}`,
            fix: "Allow this identity to list Pods and the objects that make them",
            where: [],
          },
        ]
      : [],
  );
}
