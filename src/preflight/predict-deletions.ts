import { idleReason, isJob } from "../model/cluster/jobs.ts";
import {
  deletedWithOwner,
  findController,
  indexByUid,
  rootOwner,
} from "../model/cluster/owned-objects.ts";
import {
  boundClaimReason,
  canStartContainers,
  indexWorkloads,
  keptDependentReason,
  type PossibleUsers,
  unknownUseReason,
  usableObjects,
  usageReason,
  type Workloads,
} from "../model/cluster/still-used.ts";
import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  sameJson,
  textAt,
} from "../model/json.ts";
import { kindKey, rolloutKind, workloadKinds } from "../model/kinds.ts";
import { groupOf, idOf, type KubeObject, keyOf, nameOf, type ObjectId } from "../model/object.ts";
import type { Deletion, KeptObject } from "../model/plan/deletion.ts";
import { type Change, type Plan, replacesPods } from "../model/plan/plan.ts";
import { readWaitPolicy } from "../model/plan/wait-policy.ts";
import { anyNamespace, type ClusterFact, type ClusterFacts } from "./cluster-facts.ts";
import { asPlanned, keepsOldPods, keepsTemplate } from "./planned-pods.ts";
import { isReferencing } from "./referencing-kinds.ts";

/**
 * The purpose of the reading identity.
 * An identity that deploys might read objects that a preview's identity isn't allowed to read.
 */
export type FactsPurpose = "preview" | "deploy";

type KeepReason = Pick<KeptObject, "why" | "detail">;

/**
 * Removes the deletions of objects that old Pods might still use by then
 * (docs/reference/deployment.md#deletion).
 * The deployment decides about them itself at that time. Therefore this prediction is only for
 * readers of the plan, and not part of its digest.
 */
export function predictDeletions(
  plan: Plan,
  facts: Pick<ClusterFacts, "users">,
  purpose: FactsPurpose,
): Plan {
  if (plan.deletions.length === 0) return plan;
  const kept = new Map<string, KeepReason>();
  const usersIn = possibleUsers(plan, facts);
  for (const deletion of plan.deletions) {
    const why = keepReason(deletion, kept, plan, usersIn, purpose);
    if (why !== undefined) kept.set(deletion.key, why);
  }
  const stay = plan.deletions.flatMap(({ key, id }): readonly KeptObject[] => {
    const why = kept.get(key);
    return why === undefined ? [] : [{ key, id, ...why }];
  });
  return {
    ...plan,
    deletions: plan.deletions.filter(({ key }) => !kept.has(key)),
    kept: [...plan.kept, ...stay],
  };
}

function keepReason(
  deletion: Deletion,
  kept: ReadonlyMap<string, unknown>,
  plan: Plan,
  usersIn: UserLookup,
  purpose: FactsPurpose,
): KeepReason | undefined {
  const needed = dependencyReason(deletion, kept, plan);
  if (needed !== undefined) return { why: "in use", detail: needed };
  const usable = usableObjects(deletion);
  if (usable.length === 0) return undefined;
  const { users, unread } = usersIn(deletion.id.namespace);
  const used = usable
    .values()
    .map((each) => usageReason(deletion, each, users))
    .find((reason) => reason !== undefined);
  if (used !== undefined) return { why: "in use", detail: used };
  return unread === undefined || purpose === "preview"
    ? undefined
    : { why: "use unknown", detail: unknownUseReason(unread) };
}

function dependencyReason(
  deletion: Deletion,
  kept: ReadonlyMap<string, unknown>,
  { changes }: Plan,
): string | undefined {
  const paused = changes.filter(isPausedRollout).map(({ id }) => nameOf(id));
  if (paused.length > 0) {
    return `for now: ${paused.join(", ")} is held back, and its old Pods might still use it`;
  }
  return (
    keptDependentReason(deletion, (key) => kept.has(key)) ??
    boundClaimReason(deletion.live, deletion)
  );
}

/** The workloads that are known, which include all declared ones. */
interface KnownUsers {
  readonly users: PossibleUsers;
  /** The reason why qvs can't list the live workloads; undefined if it lists them. */
  readonly unread: string | undefined;
}

type UserLookup = (namespace: string) => KnownUsers;

/** Predicts the workloads at the time of the deletions, by namespace. */
function possibleUsers(plan: Plan, { users }: Pick<ClusterFacts, "users">): UserLookup {
  const planned = indexWorkloads(plannedWorkloads(plan));
  const predicted = new Map(
    [...users].map(([namespace, fact]) => [namespace, predictUsers(fact, plan, planned)]),
  );
  const none = predictUsers({ known: true, value: [] }, plan, planned);
  return (namespace) => predicted.get(namespace) ?? none;
}

function predictUsers(
  workloads: ClusterFact<readonly KubeObject[]>,
  plan: Plan,
  planned: Workloads,
): KnownUsers {
  const live = indexWorkloads(workloads.known ? workloads.value : []);
  const remains = (user: KubeObject, root: KubeObject) =>
    outlivesRollout(root, plan) ||
    (user !== root && endsLater(root, plan)) ||
    (keepsPods(root, plan) && hasCurrentTemplate(user, root, live.byUid));
  const unread = workloads.known ? undefined : workloads.why;
  return { users: { live, remains, planned }, unread };
}

/**
 * Lists the declared workloads that can start containers after everything is ready, as they will
 * be, whether they create Pods at that time or not.
 */
function plannedWorkloads({ changes }: Plan): readonly KubeObject[] {
  return changes.filter(canStartLater).map(asPlanned).filter(isWorkload);
}

/** A Job that the deployment waits for has ended by then. It doesn't wait for a suspended one. */
function canStartLater(change: Change): boolean {
  const { id, live, desired } = change;
  const isSameOne = live !== undefined && !replacesPods(change);
  if (isSameOne && !canStartContainers(live)) return false;
  if (!isJob(id)) return true;
  return !readWaitPolicy(desired).isAwaited || idleReason(asPlanned(change)) !== undefined;
}

interface ReferringObject {
  readonly referrer: KubeObject;
  readonly root: KubeObject;
}

/** Lists the live objects that name a deleted object, with their top-level controllers. */
export function findReferrers(
  id: ObjectId,
  deletion: Deletion,
  { users, referrers }: Pick<ClusterFacts, "users" | "referrers">,
): readonly ReferringObject[] {
  const { namespace } = deletion.id;
  const facts = [users.get(namespace), referrers.get(namespace), referrers.get(anyNamespace)];
  const found = facts.flatMap((fact) => (fact?.known === true ? fact.value : []));
  const known = indexByUid(found);
  const isDeleted = deletedWithOwner(deletion, found);
  return found
    .filter((object) => isReferencing(object, id) && !isDeleted(object))
    .map((referrer) => ({ referrer, root: rootOwner(referrer, known) }));
}

const workloadKeys: ReadonlySet<string> = new Set(
  [...workloadKinds, rolloutKind].map(([apiVersion, kind]) =>
    kindKey({ group: groupOf(apiVersion), kind }),
  ),
);

export function isWorkload(object: KubeObject): boolean {
  return workloadKeys.has(kindKey(idOf(object)));
}

/** Reports whether the object or its old Pods still exist when all new objects are ready. */
function outlivesRollout(root: KubeObject, { changes, deletions }: Plan): boolean {
  const key = keyOf(idOf(root));
  if (deletions.some((deletion) => deletion.key === key)) return false;
  const change = changes.find((each) => each.key === key);
  return change === undefined || keepsOldPods(asPlanned(change));
}

/**
 * Reports whether the deployment changes the object without a wait for the end of its old Pods and
 * Jobs.
 */
function endsLater(root: KubeObject, { changes }: Plan): boolean {
  const key = keyOf(idOf(root));
  const change = changes.find((each) => each.key === key);
  if (change === undefined || replacesPods(change)) return false;
  return change.id.kind === "CronJob" || !readWaitPolicy(change.desired).isAwaited;
}

/**
 * Reports whether the object keeps its Pods until another template replaces them.
 * Such Pods can also name objects that their template doesn't, for example from their
 * ServiceAccount.
 */
function keepsPods(root: KubeObject, { changes }: Plan): boolean {
  const key = keyOf(idOf(root));
  const change = changes.find((each) => each.key === key);
  return change !== undefined && (change.action === "unchanged" || keepsTemplate(change));
}

/**
 * Reports whether a Pod or ReplicaSet has the current template of its workload.
 * A current rollout replaces the Pods of an earlier template. The Pods of a Job have ended by then,
 * but no deployment waits for the Pods of a CronJob.
 */
function hasCurrentTemplate(
  pod: KubeObject,
  root: KubeObject,
  known: ReadonlyMap<string, KubeObject>,
): boolean {
  if (pod.kind === "ReplicaSet") return sameJson(comparableTemplate(pod), comparableTemplate(root));
  if (pod.kind !== "Pod") return false;
  if (pod === root) return true;
  switch (root.kind) {
    case "CronJob":
      return true;
    case "Deployment":
    case "Rollout":
      return sameJson(comparableTemplate(findController(pod, known)), comparableTemplate(root));
    case "StatefulSet":
      return (
        textAt(pod, "metadata", "labels", "controller-revision-hash") ===
        textAt(root, "status", "updateRevision")
      );
    case "DaemonSet":
      return (
        at(root, "status", "updatedNumberScheduled") ===
        at(root, "status", "desiredNumberScheduled")
      );
    default:
      return false;
  }
}

/** Returns a template without the label that Deployments and Rollouts add to their ReplicaSets. */
function comparableTemplate(object: KubeObject | undefined): Json {
  const { metadata, spec } = (at(object, "spec", "template") ?? {}) as JsonObject;
  const labels = Object.entries((at(metadata, "labels") ?? {}) as JsonObject);
  const own = labels.filter(([name]) => !/^(rollouts-)?pod-template-hash$/.test(name));
  return [spec ?? null, at(metadata, "annotations") ?? null, Object.fromEntries(own)];
}

/**
 * Reports whether a rollout is paused, or will pause as planned.
 * A deployment doesn't wait for such a rollout, and deletes nothing before it continues.
 */
function isPausedRollout(change: Change): boolean {
  const planned = asPlanned(change);
  switch (kindKey(change.id)) {
    case "apps/Deployment":
      return at(planned, "spec", "paused") === true;
    case "argoproj.io/Rollout":
      return at(planned, "spec", "paused") === true || willPause(change, planned);
    default:
      return false;
  }
}

function willPause({ live, action }: Change, planned: KubeObject): boolean {
  if (live === undefined || action === "replace") return false;
  const reasons = listAt(live, "status", "pauseConditions").map((each) => textAt(each, "reason"));
  // The controller fills in undeclared fields of the live template.
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
