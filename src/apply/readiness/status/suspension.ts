import { findCondition, isObserved } from "../../../health/conditions.ts";
import { findSuspension, type Suspension } from "../../../model/cluster/suspension.ts";
import { at, numberAt } from "../../../model/json.ts";
import { kindKey } from "../../../model/kinds.ts";
import { idOf, type KubeObject } from "../../../model/object.ts";
import { fieldOwners, type OwnedFields } from "../../../ssa/managed-fields.ts";
import { clientSideManagers } from "../../../ssa/ownership-transfer.ts";
import { ready, type Status, type StatusFacts, suspended, waiting } from "./conditions.ts";
import { desiredReplicas } from "./workload-status.ts";

/**
 * Corrects the status of a suspended object (docs/reference/deployment.md#suspended-objects).
 * A suspension is intended only if the manifest declares it. If a queue or a user suspended the
 * object, its work isn't done, whatever its conditions are.
 */
export function withSuspension(status: Status, object: KubeObject, facts: StatusFacts): Status {
  const suspension = findSuspension(object);
  if (suspension === undefined || status.state === "failed") return status;
  if (!isIntended(object, suspension, facts)) {
    if (isFullyRolledOut(object) || wasReadyBeforeSuspension(status, object, facts)) return ready();
    return waiting(`${suspension.why}, ${describeSuspender(object, suspension)}`, "suspended");
  }
  // A suspended controller reports no progress. Jobs and rollouts have their own rules.
  return status.state === "waiting" && !hasOwnRule(object) ? suspended(suspension.why) : status;
}

/**
 * Reports whether an object was ready before a user suspended it, and this run doesn't touch it.
 * An example is a Kustomization of Flux.
 */
function wasReadyBeforeSuspension(
  status: Status,
  object: KubeObject,
  { baseline }: StatusFacts,
): boolean {
  const isReady = findCondition(object, "Ready")?.status === "True";
  return status.state === "ready" && baseline === undefined && isReady;
}

/**
 * Reports whether all Pods already run the template of a paused object.
 * A pause holds back only new templates, so a later pause stops nothing.
 */
function isFullyRolledOut(object: KubeObject): boolean {
  const count = (field: string) => numberAt(object, "status", field) ?? 0;
  const desired = desiredReplicas(object);
  const counts = ["replicas", "updatedReplicas", "availableReplicas"].map(count);
  const isRolledOut = isObserved(object) === true && counts.every((each) => each === desired);
  if (isOf(object, "apps/Deployment")) return isRolledOut;
  const isStable = at(object, "status", "currentPodHash") === at(object, "status", "stableRS");
  return isOf(object, "argoproj.io/Rollout") && isRolledOut && isStable;
}

function hasOwnRule(object: KubeObject): boolean {
  return isOf(object, "batch/Job", "apps/Deployment", "argoproj.io/Rollout");
}

function isOf(object: KubeObject, ...kinds: readonly string[]): boolean {
  return kinds.includes(kindKey(idOf(object)));
}

/**
 * Reports whether a suspension is intended.
 * The manifest of an object outside this deployment is unknown, so its field managers decide.
 */
function isIntended(object: KubeObject, { path }: Suspension, { suspends }: StatusFacts): boolean {
  if (suspends !== undefined) return suspends;
  if (fieldOwners(object).length === 0) return true;
  return managersOfField(object, path).some(
    ({ operation, manager }) => operation === "Apply" || clientSideManagers.has(manager),
  );
}

/**
 * Names the tool that suspended an object.
 * Admission webhooks and policies leave no trace in `managedFields`.
 */
function describeSuspender(object: KubeObject, { path }: Suspension): string {
  const owners = managersOfField(object, path).filter(
    ({ manager, operation }) => !(operation === "Apply" && manager.startsWith("qvs-")),
  );
  const [last] = owners.toSorted((a, b) => (a.time < b.time ? 1 : -1));
  if (last === undefined) {
    return "set by an admission webhook or policy and not declared in the manifest";
  }
  const since = last.time === "" ? "" : ` since ${last.time}`;
  return `set by "${last.manager}"${since} and not declared in the manifest`;
}

function managersOfField(object: KubeObject, path: readonly string[]): readonly OwnedFields[] {
  const names = path.map((name) => `f:${name}`);
  return fieldOwners(object).filter(({ fields }) => at(fields, ...names) !== undefined);
}
