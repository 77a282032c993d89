import { controllerUid } from "../../model/cluster/owned-objects.ts";
import { uidOf } from "../../model/object.ts";
import type { Plan } from "../../model/plan/plan.ts";
import type { ClusterSnapshot } from "./cluster-snapshot.ts";
import type { Assumption } from "./controller-input.ts";
import {
  createSimulation,
  type PlacedPod,
  type RolloutEnding,
  type Simulation,
  simulateConcurrently,
  tryRollout,
  waitsForOthers,
} from "./simulation.ts";
import {
  describeStandstill,
  type RolloutFix,
  rolloutFixes,
  type Standstill,
} from "./standstill.ts";
import type { Workload } from "./workload.ts";

/** The predicted end of a rollout on the existing nodes. */
export type RolloutVerdict =
  | { readonly type: "completes"; readonly ending: RolloutEnding }
  /** The new Pods would fit only after the old Pods are deleted. */
  | {
      readonly type: "deadlock";
      readonly standstill: Standstill;
      readonly fix: RolloutFix | undefined;
      /** True if only unready old Pods prevent the end of the rollout. */
      readonly byBrokenPods: boolean;
    }
  /** The result depends on which old Pods are removed first. qvs can't predict that. */
  | {
      readonly type: "chance";
      readonly standstill: Standstill;
      readonly fix: RolloutFix | undefined;
    }
  /** Other workloads of the plan, rolled out at the same time, take the places that it needs. */
  | { readonly type: "outrun"; readonly standstill: Standstill }
  /**
   * Even without its old Pods, the nodes don't have room for all new Pods; `fitting` Pods have
   * room.
   */
  | { readonly type: "never"; readonly standstill: Standstill; readonly fitting: number };

export interface JudgedRollout {
  readonly workload: Workload;
  readonly verdict: RolloutVerdict;
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
  state: ClusterSnapshot,
): readonly JudgedRollout[] {
  const deletedKeys = new Set(plan.deletions.map(({ key }) => key));
  const newSimulation = () => createSimulation(state, placedPods(plan, state), deletedKeys);
  const simulation = newSimulation();
  const judged: JudgedRollout[] = [];
  let open = workloads;
  for (let before = -1; before !== open.length; ) {
    before = open.length;
    for (const workload of open) {
      if (waitsForOthers(workload, open, plan)) continue;
      const chance = stuckByBadLuck(simulation, workload);
      const trial = tryRollout(simulation, workload);
      if (!trial.ending.completes) {
        trial.undo();
        continue;
      }
      const { ending } = trial;
      judged.push({ workload, verdict: chance ?? { type: "completes", ending } });
      open = open.filter((each) => each !== workload);
    }
  }
  const stuck = open.filter((workload) => !waitsForOthers(workload, open, plan));
  return [
    ...withOutrun(judged, plan, newSimulation),
    ...stuck.map((workload) => ({ workload, verdict: stuckVerdict(simulation, workload) })),
  ];
}

/**
 * Replaces the verdicts of rollouts that complete only if other workloads don't take their places.
 */
function withOutrun(
  judged: readonly JudgedRollout[],
  plan: Plan,
  newSimulation: () => Simulation,
): readonly JudgedRollout[] {
  if (judged.length < 2) return judged;
  const workloads = judged.map(({ workload }) => workload);
  const outrun = [workloads, workloads.toReversed()].flatMap((each) =>
    simulateConcurrently(newSimulation(), each, plan),
  );
  return judged.map((each) => {
    const found = outrun.find(({ workload }) => workload === each.workload);
    if (found === undefined) return each;
    const waiting = found.controller.pods().find(({ node }) => node === undefined);
    const standstill = describeStandstill(found.cluster, waiting?.shape);
    return { workload: each.workload, verdict: { type: "outrun", standstill } };
  });
}

/**
 * Checks a rollout for the case that the least useful Pods are removed first.
 * ReplicaSets choose at random among equal Pods. Other kinds choose by ordinal or by node.
 */
function stuckByBadLuck(simulation: Simulation, workload: Workload): RolloutVerdict | undefined {
  if (workload.kind !== "Deployment" && workload.kind !== "Rollout") return undefined;
  const runTrial = createTrialRunner(simulation, workload);
  const { completes, standstill } = runTrial({ luck: "bad" });
  if (completes || !runTrial({}).completes) return undefined;
  return { type: "chance", standstill, fix: findFix(runTrial, workload) };
}

function stuckVerdict(simulation: Simulation, workload: Workload): RolloutVerdict {
  const runTrial = createTrialRunner(simulation, workload);
  const alone = runTrial({ alone: true });
  if (!alone.completes) {
    return { type: "never", standstill: alone.standstill, fitting: alone.running };
  }
  const { standstill } = runTrial({});
  const fix = findFix(runTrial, workload);
  return runTrial({ luck: "good" }).completes
    ? { type: "chance", standstill, fix }
    : { type: "deadlock", standstill, fix, byBrokenPods: runTrial({ healthy: true }).completes };
}

type TrialRunner = ReturnType<typeof createTrialRunner>;

/** Returns a function that tries a rollout under an assumption and reverts it. */
function createTrialRunner(simulation: Simulation, workload: Workload) {
  return (assumption: Assumption) => {
    const trial = tryRollout(simulation, workload, assumption);
    const { completes, waiting } = trial.ending;
    const standstill = describeStandstill(simulation.cluster, waiting[0]?.shape);
    trial.undo();
    return { completes, standstill, running: trial.running };
  };
}

/** Returns the first fix that works whichever Pods are removed first. */
function findFix(runTrial: TrialRunner, workload: Workload): RolloutFix | undefined {
  return rolloutFixes(workload).find(
    ({ spec }) => runTrial({ spec }).completes && runTrial({ spec, luck: "bad" }).completes,
  );
}

/**
 * Assigns each live Pod to the object of the plan that owns it.
 * Other Pods belong to the object that created them.
 */
function placedPods(plan: Plan, state: ClusterSnapshot): readonly PlacedPod[] {
  const owners = new Map<string, string>();
  const sets = Map.groupBy(state.replicaSets, controllerUid);
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
