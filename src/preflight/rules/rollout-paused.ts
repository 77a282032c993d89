import { timeoutAnnotation } from "../../model/annotations.ts";
import {
  declaresSuspension,
  findSuspension,
  mayStaySuspended,
  type Suspension,
} from "../../model/cluster/suspension.ts";
import { at, sameJson } from "../../model/json.ts";
import { rollsOutByReplicaSets } from "../../model/kinds.ts";
import { type KubeObject, nameOf } from "../../model/object.ts";
import type { Change } from "../../model/plan/plan.ts";
import { readWaitPolicy } from "../../model/plan/wait-policy.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { lastAuthor } from "../../plan/attribution/authors.ts";
import { isControllerNoOp } from "../awaited-unchanged.ts";
import { asPlanned } from "../planned-pods.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";

/**
 * Reports templates that aren't rolled out because the rollout is paused.
 * If the manifest declares the pause, the deployment succeeds with the old Pods
 * (docs/reference/deployment.md#suspended-objects).
 * The pause of another tool is neither in the manifest nor in a diff. The deployment waits until it
 * ends, as for any suspended object.
 */
export function rolloutPaused({ plan, placeOf }: PreflightInput): readonly Finding[] {
  return plan.changes.flatMap((change): readonly Finding[] => {
    const suspension = effectiveSuspension(change);
    if (suspension === undefined) return [];
    const isDeclared = mayStaySuspended(change);
    const { isAwaited, timeoutMs } = readWaitPolicy(change.desired);
    if (!isDeclared && !isAwaited) return [];
    const limit = timeoutMs === undefined ? "--timeout" : `its annotation ${timeoutAnnotation}`;
    return [
      changeFinding(change, placeOf, {
        code: "rollout-paused",
        severity: isDeclared ? "note" : "warning",
        what: isDeclared ? declaredPauseText(change) : undeclaredPauseText(change),
        why: isDeclared
          ? intendedPauseReason(change)
          : `${describePauser(change, suspension.path, plan.deployment)}. The deployment waits until it is resumed, and fails after ${limit}`,
        fix: isDeclared
          ? `Resume it when new Pods can start${resumeCommand(change)}`
          : `Declare ${suspension.path.join(".")} in the manifest if it is intended, or resume it${resumeCommand(change)}`,
        path: suspension.path,
      }),
    ];
  });
}

/** Returns a suspension that the plan doesn't change and that has an effect. */
function effectiveSuspension(change: Change): Suspension | undefined {
  const { action, live } = change;
  if (action !== "create" && action !== "update") return undefined;
  // The rule `not-ready` reports unchanged objects that the deployment waits for.
  if (isControllerNoOp(change)) return undefined;
  const planned = asPlanned(change);
  const suspension = findSuspension(planned);
  if (!rollsOutByReplicaSets(change.id)) return mayStaySuspended(change) ? undefined : suspension;
  const template = (object: KubeObject) => at(object, "spec", "template");
  const isNew = live === undefined || !sameJson(template(live), template(planned));
  return isNew || !mayStaySuspended(change) ? suspension : undefined;
}

function intendedPauseReason({ desired, live }: Change): string {
  const why = declaresSuspension(desired)
    ? "Its manifest sets spec.paused: true"
    : "Its manifest leaves spec.paused to other tools with ignore-changes";
  return live === undefined ? why : `${why}. The deployment doesn't wait for new Pods`;
}

function declaredPauseText({ id, live }: Change): string {
  const effect = live === undefined ? "creates no Pods" : "its Pods keep the old template";
  return `${nameOf(id)} is paused, and ${effect} until it is resumed`;
}

function undeclaredPauseText({ id }: Change): string {
  const how = rollsOutByReplicaSets(id) ? "is paused" : "is suspended";
  return `${nameOf(id)} ${how}, and this deployment waits for it`;
}

function describePauser({ live }: Change, path: readonly string[], deployment: string): string {
  const field = path.join(".");
  if (live === undefined) {
    return `The API server would store ${field}, which the manifest doesn't declare: an admission webhook or policy sets it`;
  }
  const author = lastAuthor(live, path, deployment);
  const since = author?.since === undefined ? "" : ` since ${author.since}`;
  const by = author === undefined ? "" : ` by ${author.manager}${since}`;
  return `${field} is set in the cluster${by}, but isn't declared`;
}

function resumeCommand({ id }: Change): string {
  if (!rollsOutByReplicaSets(id)) return "";
  const where = `--namespace ${id.namespace}`;
  return id.kind === "Deployment"
    ? `: kubectl rollout resume deployment/${id.name} ${where}`
    : `: kubectl argo rollouts resume ${id.name} ${where}`;
}
