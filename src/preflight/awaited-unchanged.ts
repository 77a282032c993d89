import { mayStaySuspended } from "../model/cluster/suspension.ts";
import type { UpstreamDeployments } from "../model/deployments/other-deployments.ts";
import { at, sameJson } from "../model/json.ts";
import { groupOf, type KubeObject } from "../model/object.ts";
import type { Change, Plan } from "../model/plan/plan.ts";
import { readWaitPolicy } from "../model/plan/wait-policy.ts";

/** An object that a deployment waits for as it is. */
export interface AwaitedUnchanged {
  readonly key: string;
  readonly live: KubeObject;
  /**
   * True if the object or one of its dependencies changes, so that its current state can be
   * outdated.
   */
  readonly isAffected: boolean;
  /**
   * Keys of its dependencies that change, or whose own dependencies change; these might fix its
   * state.
   */
  readonly changingDependencies: readonly string[];
  /** True if the object is outside this deployment and a change depends on it. */
  readonly isOutside: boolean;
  /** True if the object can stay suspended; undefined if it is outside this deployment. */
  readonly suspends: boolean | undefined;
  /** True if a failure of the object counts only after a while. */
  readonly toleratesFailure: boolean;
}

/**
 * Lists the objects that a deployment waits for as they are.
 * These are the declared objects that it leaves unchanged, or changes only in fields that no
 * controller acts on. They also include outside objects that its changes depend on. Objects that
 * earlier deployments change are left out, because they will be different by then.
 */
export function awaitedUnchanged(
  plan: Plan,
  upstream: UpstreamDeployments["changes"] = new Map(),
): readonly AwaitedUnchanged[] {
  const affected = affectedKeys(plan, upstream);
  const own = plan.changes.flatMap((change): readonly AwaitedUnchanged[] => {
    const { key, live, after } = change;
    if (live === undefined || !isControllerNoOp(change)) return [];
    const policy = readWaitPolicy(change.desired);
    if (!policy.isAwaited) return [];
    const changingDependencies = after.map(({ on }) => on).filter((on) => affected.has(on));
    const about = {
      isAffected: affected.has(key),
      changingDependencies,
      suspends: mayStaySuspended(change),
      toleratesFailure: policy.toleratedMs !== undefined,
    };
    return [{ key, live, ...about, isOutside: false }];
  });
  const outside = (plan.awaited ?? []).map(
    ({ key, live }): AwaitedUnchanged => ({
      ...{ key, live, isAffected: false, changingDependencies: [], isOutside: true },
      ...{ suspends: undefined, toleratesFailure: false },
    }),
  );
  return [...own, ...outside].filter(({ key }) => !upstream.has(key));
}

/**
 * Returns the keys of the changed objects and all their dependents.
 * One pass is enough: the plan lists an object after its dependencies.
 */
function affectedKeys(
  { changes }: Plan,
  upstream: UpstreamDeployments["changes"],
): ReadonlySet<string> {
  const affected = new Set(upstream.keys());
  for (const { key, action, after } of changes) {
    if (action !== "unchanged" || after.some(({ on }) => affected.has(on))) affected.add(key);
  }
  return affected;
}

/**
 * Groups whose controllers read only the spec.
 * In other groups, a new annotation can make an object ready.
 */
const specDrivenGroups: ReadonlySet<string> = new Set(["", "apps", "batch"]);

/** Reports whether a change gives the controller of the object nothing new to do. */
export function isControllerNoOp({ action, live, predicted, desired }: Change): boolean {
  if (action === "unchanged") return true;
  return (
    action === "update" &&
    predicted !== undefined &&
    specDrivenGroups.has(groupOf(desired.apiVersion)) &&
    sameJson(at(predicted, "spec"), at(live, "spec"))
  );
}
