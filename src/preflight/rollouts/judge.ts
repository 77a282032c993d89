import type { JsonObject } from "../../model/json.ts";
import { uidOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import { type ClusterState, ownedBy } from "./cluster-state.ts";
import { type Cure, curesFor } from "./cures.ts";
import { type PlacedPod, podsOf, type Trial, tryRollout } from "./trial.ts";
import type { Workload } from "./workload.ts";

/** How a rollout ends on the nodes that are there. */
export type Verdict =
  | { readonly type: "completes"; readonly trial: Trial }
  /** The new Pods would fit, if only the old ones were gone. */
  | {
      readonly type: "deadlock";
      readonly trial: Trial;
      readonly cure: Cure | undefined;
      /** Old Pods that are not ready keep it from ending, and nothing else does. */
      readonly byBrokenPods: boolean;
    }
  /** Even on nodes without its old Pods there is no place for all; `fitting` have one. */
  | { readonly type: "never"; readonly trial: Trial; readonly fitting: number };

export interface Judged {
  readonly workload: Workload;
  readonly verdict: Verdict;
}

/**
 * What one workload leaves is what the next one finds. They go side by side, so what has no place at first may find one after another is
 * done, and what depends on one that never ends is not even begun: of that nothing is told.
 */
export function judgeRollouts(
  workloads: readonly Workload[],
  plan: Plan,
  state: ClusterState,
): readonly Judged[] {
  const leaving = new Set(plan.deletions.map(({ key }) => key));
  const judged: Judged[] = [];
  let pods = placedPods(plan, state);
  let open = workloads;
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    for (const workload of open) {
      if (isBehind(workload, open, plan)) continue;
      const verdict = judge(state, workload, { others: pods, leaving });
      if (verdict.type !== "completes") continue;
      pods = afterwards(verdict.trial, workload, pods);
      judged.push({ workload, verdict });
      open = open.filter((each) => each !== workload);
    }
  }
  const stuck = open.filter((workload) => !isBehind(workload, open, plan));
  for (const workload of stuck) {
    const verdict = judge(state, workload, { others: pods, leaving });
    pods = afterwards(verdict.trial, workload, pods);
    judged.push({ workload, verdict });
  }
  return judged;
}

/** Whether it waits for one of the others, whatever is in between. */
function isBehind({ change }: Workload, others: readonly Workload[], { changes }: Plan): boolean {
  const edges = new Map(changes.map(({ key, after }) => [key, after.map(({ on }) => on)]));
  const keys = new Set(others.map((each) => each.change.key));
  const seen = new Set<string>();
  const queue = [...(edges.get(change.key) ?? [])];
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    if (seen.has(key)) continue;
    seen.add(key);
    if (key !== change.key && keys.has(key)) return true;
    queue.push(...(edges.get(key) ?? []));
  }
  return false;
}

interface Surroundings {
  readonly others: readonly PlacedPod[];
  readonly leaving: ReadonlySet<string>;
}

function judge(state: ClusterState, workload: Workload, around: Surroundings): Verdict {
  const attempt = (assumption = {}) => tryRollout(state, workload, around, assumption);
  const trial = attempt();
  if (trial.ending.completes) return { type: "completes", trial };
  const alone = attempt({ alone: true });
  if (!alone.ending.completes)
    return { type: "never", trial: alone, fitting: placed(alone, workload) };
  const completes = (spec: JsonObject) => attempt({ spec }).ending.completes;
  return {
    type: "deadlock",
    trial,
    cure: curesFor(workload).find(({ spec }) => completes(spec)),
    byBrokenPods: attempt({ healthy: true }).ending.completes,
  };
}

function placed(trial: Trial, { change }: Workload): number {
  return podsOf(trial).filter(({ owner }) => owner === change.key).length;
}

/** Which Pods belong to which object of the plan; the others to whatever made them. */
function placedPods(plan: Plan, state: ClusterState): readonly PlacedPod[] {
  const owners = new Map<string, string>();
  const uidsOf = (key: string, uid: string) => {
    owners.set(uid, key);
    for (const set of ownedBy(uid, state.replicaSets)) owners.set(uidOf(set), key);
  };
  for (const { key, live } of plan.changes) if (live !== undefined) uidsOf(key, uidOf(live));
  for (const { key, live } of plan.deletions) uidsOf(key, uidOf(live));
  return state.pods.map((pod) => ({
    ...pod,
    owner: owners.get(pod.controller ?? uidOf(pod.object)) ?? `${pod.controller}`,
  }));
}

function afterwards(
  trial: Trial,
  { change }: Workload,
  before: readonly PlacedPod[],
): readonly PlacedPod[] {
  const left = podsOf(trial).filter(({ owner }) => owner === change.key);
  const others = before.filter(({ owner }) => owner !== change.key);
  const template = before[0]?.object ?? { apiVersion: "v1", kind: "Pod", metadata: {} };
  const own = left.map(({ shape, owner, node }) => ({
    ...{ shape, owner, node, controller: owner },
    object: template,
  }));
  return [...others, ...own];
}
