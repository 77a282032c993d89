import { uidOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan.ts";
import { type ClusterState, controllerOf } from "./cluster-state.ts";
import { type Cure, curesFor } from "./cures.ts";
import { describeStandstill, type Standstill } from "./obstacles.ts";
import type { Assumption } from "./own-pods.ts";
import { isBehind, rollSideBySide } from "./side-by-side.ts";
import type { Ending } from "./simulate.ts";
import { type PlacedPod, type Scene, setScene, tryRollout } from "./trial.ts";
import type { Workload } from "./workload.ts";

/** The predicted end of a rollout on the existing nodes. */
export type Verdict =
  | { readonly type: "completes"; readonly ending: Ending }
  /** The new Pods would fit only after the old Pods are deleted. */
  | {
      readonly type: "deadlock";
      readonly standstill: Standstill;
      readonly cure: Cure | undefined;
      /** True if only unready old Pods prevent the end of the rollout. */
      readonly byBrokenPods: boolean;
    }
  /** The result depends on which old Pods are removed first. qvs can't predict that. */
  | {
      readonly type: "chance";
      readonly standstill: Standstill;
      readonly cure: Cure | undefined;
    }
  /** Other workloads of the plan, rolled out at the same time, take the places that it needs. */
  | { readonly type: "outrun"; readonly standstill: Standstill }
  /**
   * Even without its old Pods, the nodes don't have room for all new Pods; `fitting` Pods have
   * room.
   */
  | { readonly type: "never"; readonly standstill: Standstill; readonly fitting: number };

export interface Judged {
  readonly workload: Workload;
  readonly verdict: Verdict;
}

/**
 * Simulates the rollouts of a plan and returns a verdict for each.
 * Each workload starts from the cluster that the previous ones leave. A workload that finds no room
 * is tried again after another one completes.
 * Workloads that depend on a stuck one never start, so they get no verdict.
 */
export function judgeRollouts(
  workloads: readonly Workload[],
  plan: Plan,
  state: ClusterState,
): readonly Judged[] {
  const leaving = new Set(plan.deletions.map(({ key }) => key));
  const newScene = () => setScene(state, placedPods(plan, state), leaving);
  const scene = newScene();
  const judged: Judged[] = [];
  let open = workloads;
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    for (const workload of open) {
      if (isBehind(workload, open, plan)) continue;
      const chance = stuckByBadLuck(scene, workload);
      const trial = tryRollout(scene, workload);
      if (!trial.ending.completes) {
        trial.undo();
        continue;
      }
      const { ending } = trial;
      judged.push({ workload, verdict: chance ?? { type: "completes", ending } });
      open = open.filter((each) => each !== workload);
    }
  }
  const stuck = open.filter((workload) => !isBehind(workload, open, plan));
  return [
    ...withOutrun(judged, plan, newScene),
    ...stuck.map((workload) => ({ workload, verdict: whyStuck(scene, workload) })),
  ];
}

/**
 * Replaces the verdicts of rollouts that complete only if other workloads don't take their places.
 */
function withOutrun(
  judged: readonly Judged[],
  plan: Plan,
  newScene: () => Scene,
): readonly Judged[] {
  if (judged.length < 2) return judged;
  const workloads = judged.map(({ workload }) => workload);
  const outrun = [workloads, workloads.toReversed()].flatMap((each) =>
    rollSideBySide(newScene(), each, plan),
  );
  return judged.map((each) => {
    const found = outrun.find(({ workload }) => workload === each.workload);
    if (found === undefined) return each;
    const waiting = found.controller.pods().find(({ node }) => node === undefined);
    const standstill = describeStandstill(found.board, waiting?.shape);
    return { workload: each.workload, verdict: { type: "outrun", standstill } };
  });
}

/**
 * Checks a rollout for the case that the least useful Pods are removed first.
 * ReplicaSets choose at random among equal Pods. Other kinds choose by ordinal or by node.
 */
function stuckByBadLuck(scene: Scene, workload: Workload): Verdict | undefined {
  if (workload.kind !== "Deployment" && workload.kind !== "Rollout") return undefined;
  const attempt = trialsOf(scene, workload);
  const { completes, standstill } = attempt({ luck: "bad" });
  if (completes || !attempt({}).completes) return undefined;
  return { type: "chance", standstill, cure: cureIn(attempt, workload) };
}

function whyStuck(scene: Scene, workload: Workload): Verdict {
  const attempt = trialsOf(scene, workload);
  const alone = attempt({ alone: true });
  if (!alone.completes) {
    return { type: "never", standstill: alone.standstill, fitting: alone.running };
  }
  const { standstill } = attempt({});
  const cure = cureIn(attempt, workload);
  return attempt({ luck: "good" }).completes
    ? { type: "chance", standstill, cure }
    : { type: "deadlock", standstill, cure, byBrokenPods: attempt({ healthy: true }).completes };
}

type Attempt = ReturnType<typeof trialsOf>;

/** Returns a function that tries a rollout under an assumption and reverts it. */
function trialsOf(scene: Scene, workload: Workload) {
  return (assumption: Assumption) => {
    const trial = tryRollout(scene, workload, assumption);
    const { completes, waiting } = trial.ending;
    const standstill = describeStandstill(scene.board, waiting[0]?.shape);
    trial.undo();
    return { completes, standstill, running: trial.running };
  };
}

/** Returns the first fix that works whichever Pods are removed first. */
function cureIn(attempt: Attempt, workload: Workload): Cure | undefined {
  return curesFor(workload).find(
    ({ spec }) => attempt({ spec }).completes && attempt({ spec, luck: "bad" }).completes,
  );
}

/**
 * Assigns each live Pod to the object of the plan that owns it.
 * Other Pods belong to the object that created them.
 */
function placedPods(plan: Plan, state: ClusterState): readonly PlacedPod[] {
  const owners = new Map<string, string>();
  const sets = Map.groupBy(state.replicaSets, controllerOf);
  for (const { key, live } of [...plan.changes, ...plan.deletions]) {
    if (live === undefined) continue;
    owners.set(uidOf(live), key);
    for (const set of sets.get(uidOf(live)) ?? []) owners.set(uidOf(set), key);
  }
  return state.pods.map((live) => {
    const maker = live.controller ?? uidOf(live.object);
    return { live, shape: live.shape, owner: owners.get(maker) ?? maker, node: undefined };
  });
}
