import { holdsVolume } from "../model/cluster/claims.ts";
import { byUid, rootOf } from "../model/cluster/root-owner.ts";
import type { Deletion, KeptObject } from "../model/deletion.ts";
import { at, isObject, listAt, sameJson, textAt } from "../model/json.ts";
import {
  groupOf,
  idOf,
  type KubeObject,
  keyOf,
  nameOf,
  nameOfKey,
  type ObjectId,
} from "../model/object.ts";
import type { Change, Plan } from "../model/plan.ts";
import { listed } from "../model/text/closest.ts";
import { type ClusterFacts, everywhere } from "./facts.ts";
import { isNamedByPods, isNaming } from "./names-of.ts";
import { asPlanned, keepsOldPods } from "./planned-pods.ts";

const mostNames = 3;

/**
 * The plan as its deployment will go: what old Pods may still use by then is not deleted (docs/reference/deployment.md#deleting). The
 * deployment decides that itself when the time has come, so this is for whoever reads the plan, and no part of its digest.
 */
export function foretellDeletions(plan: Plan, facts: Pick<ClusterFacts, "namers">): Plan {
  if (plan.deletions.length === 0) return plan;
  const kept = new Map<string, string>();
  for (const deletion of plan.deletions) {
    const why = whyKept(deletion, kept, plan, facts);
    if (why !== undefined) kept.set(deletion.key, why);
  }
  const stay = plan.deletions.flatMap(({ key, id }): readonly KeptObject[] => {
    const detail = kept.get(key);
    return detail === undefined ? [] : [{ key, id, why: "in use", detail }];
  });
  return {
    ...plan,
    deletions: plan.deletions.filter(({ key }) => !kept.has(key)),
    kept: [...plan.kept, ...stay],
  };
}

function whyKept(
  deletion: Deletion,
  kept: ReadonlyMap<string, string>,
  plan: Plan,
  facts: Pick<ClusterFacts, "namers">,
): string | undefined {
  const paused = plan.changes.filter(isHeldBack).map(({ id }) => nameOf(id));
  if (paused.length > 0) {
    return `for now: ${paused.join(", ")} is held back and its old Pods may still use it`;
  }
  const dependant = deletion.after.find(({ on }) => kept.has(on));
  if (dependant !== undefined) return `${nameOfKey(dependant.on)} depends on it and is kept`;
  const claim = holdsVolume(deletion.live, deletion.after);
  if (claim !== undefined) return `${claim} is bound to it`;
  if (deletion.retires !== undefined || !isNamedByPods(deletion.id)) return undefined;
  const users = namersOf(deletion, facts)
    .filter(({ namer }) => isWorkload(namer))
    .filter(({ root }) => staysAsItIs(root, plan))
    .map(({ namer }) => namer);
  const named = [...users.map(idOf), ...usedByPlanned(deletion, plan)].map(nameOf);
  if (named.length === 0) return undefined;
  return `still used by ${listed([...new Set(named)], mostNames)}`;
}

/** What is written and still names it in its template; a Job has ended by then. */
function usedByPlanned({ id }: Deletion, { changes }: Plan): readonly ObjectId[] {
  const written = changes.filter(
    (change) => change.id.namespace === id.namespace && change.action !== "unchanged",
  );
  return written
    .filter((change) => {
      const planned = asPlanned(change);
      return isWorkload(planned) && planned.kind !== "Job" && isNaming(planned, id);
    })
    .map((change) => change.id);
}

interface Namer {
  readonly namer: KubeObject;
  readonly root: KubeObject;
}

/** The live objects that name what is to be deleted, with what controls them. */
export function namersOf(
  { id }: Deletion,
  { namers }: Pick<ClusterFacts, "namers">,
): readonly Namer[] {
  const found = [id.namespace, everywhere].flatMap((place) => {
    const fact = namers.get(place);
    return fact?.known === true ? fact.value : [];
  });
  const known = byUid(found);
  return found
    .filter((object) => isNaming(object, id))
    .map((namer) => ({ namer, root: rootOf(namer, known) }));
}

const workloads: ReadonlySet<string> = new Set([
  ...["Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Rollout"],
]);

export function isWorkload({ kind }: KubeObject): boolean {
  return workloads.has(kind);
}

/** Its old Pods, or it itself, are there when everything new is ready. */
function staysAsItIs(root: KubeObject, { changes, deletions }: Plan): boolean {
  const key = keyOf(idOf(root));
  if (deletions.some((deletion) => deletion.key === key)) return false;
  const change = changes.find((each) => each.key === key);
  return change === undefined || keepsOldPods(asPlanned(change));
}

/** A rollout that is paused, or will pause as planned: nobody waits for it, and nothing is deleted before it goes on. */
function isHeldBack(change: Change): boolean {
  const planned = asPlanned(change);
  switch (`${groupOf(planned.apiVersion)}:${planned.kind}`) {
    case "apps:Deployment":
      return at(planned, "spec", "paused") === true;
    case "argoproj.io:Rollout":
      return at(planned, "spec", "paused") === true || willPause(change, planned);
    default:
      return false;
  }
}

function willPause({ live, action }: Change, planned: KubeObject): boolean {
  if (live === undefined || action === "replace") return false;
  const reasons = listAt(live, "status", "pauseConditions").map((each) => textAt(each, "reason"));
  // Its controller fills in fields of the live template, which nobody declares.
  const isSame =
    action === "unchanged" ||
    sameJson(at(live, "spec", "template"), at(planned, "spec", "template"));
  if (isSame) {
    const isPaused = textAt(live, "status", "phase") === "Paused";
    return isPaused && reasons.every((reason) => reason !== undefined && plannedPauses.has(reason));
  }
  const steps = listAt(planned, "spec", "strategy", "canary", "steps");
  const pausesCanary = steps.some((step) => isObject(step) && isObject(step["pause"]));
  const blueGreen = at(planned, "spec", "strategy", "blueGreen");
  return pausesCanary || at(blueGreen, "autoPromotionEnabled") === false;
}

const plannedPauses: ReadonlySet<string> = new Set(["BlueGreenPause", "CanaryPauseStep"]);
