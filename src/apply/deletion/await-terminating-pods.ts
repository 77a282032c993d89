import { isFinishedPod } from "../../model/cluster/pods.ts";
import { numberAt } from "../../model/json.ts";
import { idOf, type KubeObject, nameOf, uidOf } from "../../model/object.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { Clock } from "../../ports/clock.ts";
import { createConditionVariable } from "../readiness/condition-variable.ts";
import type { ApplyRun } from "../run.ts";

/** The grace periods of terminating Pods, after which qvs doesn't wait for them. */
export interface GracePeriods {
  /** Returns the Pods whose grace period hasn't passed. */
  running(pods: readonly KubeObject[]): readonly KubeObject[];
  /** Returns the milliseconds until the last grace period of these Pods ends. */
  left(pods: readonly KubeObject[]): number;
}

/**
 * Counts each Pod's grace period from the first time that qvs sees it terminating, because the
 * server's clock can differ from this one. After the grace period, the kubelet kills the
 * containers; `marginMs` is its time for that. A Pod that exists even longer is on a node that
 * doesn't answer, or has a finalizer.
 */
export function countGracePeriods(clock: Clock): GracePeriods {
  const ends = new Map<string, number>();
  const endOf = (pod: KubeObject) => {
    const grace = numberAt(pod, "metadata", "deletionGracePeriodSeconds") ?? defaultGraceSeconds;
    const end = ends.get(uidOf(pod)) ?? clock.elapsed() + grace * 1000 + marginMs;
    ends.set(uidOf(pod), end);
    return end;
  };
  return {
    running: (pods) => pods.filter((pod) => endOf(pod) > clock.elapsed()),
    left: (pods) => Math.max(0, ...pods.map((pod) => endOf(pod) - clock.elapsed())),
  };
}

/** The default of `terminationGracePeriodSeconds`. */
const defaultGraceSeconds = 30;
const marginMs = 5_000;
const tickMs = 5_000;
const maxNames = 3;

/** Names Pods in a reason or a progress text. */
export function describeTerminating(pods: readonly KubeObject[]): string {
  const names = pods.map((pod) => nameOf(idOf(pod)));
  return `terminating Pods still use it: ${summarizeList(names, maxNames)}`;
}

/** Pods that use an object, and how long qvs waits for them. */
interface TerminatingPods {
  readonly pods: readonly [KubeObject, ...KubeObject[]];
  readonly grace: GracePeriods;
  readonly timeoutMs: number;
}

/**
 * Waits until the Pods in the namespace of the first one have ended, until their grace periods have
 * passed, or until `timeoutMs` has passed. They use the object `key`, whose deletion waits for
 * them. Returns early if the run is canceled.
 */
export async function awaitTerminatingPods(
  run: ApplyRun,
  key: string,
  { pods, grace, timeoutMs }: TerminatingPods,
): Promise<void> {
  const { clock, cluster, progress } = run.world;
  const { signal } = run.cancellation;
  const { namespace } = idOf(pods[0]);
  const changed = createConditionVariable();
  const scope = { apiVersion: "v1", kind: "Pod", namespace };
  const followed = pods.map((pod) => run.watches.followOne(scope, idOf(pod).name, changed.notify));
  signal.addEventListener("abort", changed.notify);
  const deadline = clock.elapsed() + timeoutMs;
  const bound = `at most ${Math.ceil(Math.min(grace.left(pods), timeoutMs) / 1000)} s`;
  try {
    let remaining = grace.running(pods.filter((pod) => idOf(pod).namespace === namespace));
    while (remaining.length > 0 && !signal.aborted && clock.elapsed() < deadline) {
      const left = Math.min(grace.left(remaining), deadline - clock.elapsed());
      const why = `${describeTerminating(remaining)} (${bound})`;
      progress.report({ type: "waiting", key, why });
      await changed.wait(clock, Math.min(tickMs, left));
      const listed = await run.limit(() => cluster.list("v1", "Pod", namespace));
      // Pods that qvs can't list might still run.
      if (!listed.ok) continue;
      const running = listed.value.items.filter((pod) => !isFinishedPod(pod));
      const uids = new Set(running.map(uidOf));
      remaining = grace.running(remaining.filter((pod) => uids.has(uidOf(pod))));
    }
  } finally {
    signal.removeEventListener("abort", changed.notify);
    for (const view of followed) view.stop();
  }
}
