import { isFinishedPod } from "../../model/cluster/pods.ts";
import {
  keptDependentReason,
  podsUsing,
  unknownUseReason,
  usableObjects,
  usageReason,
} from "../../model/cluster/still-used.ts";
import { numberAt } from "../../model/json.ts";
import { idOf, type KubeObject, keyOf, nameOf, uidOf } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import { summarizeList } from "../../model/text/suggest.ts";
import type { Clock } from "../../ports/clock.ts";
import { fail } from "../failure/fail.ts";
import { createConditionVariable } from "../readiness/condition-variable.ts";
import type { ApplyRun } from "../run.ts";
import { awaitDeletedJob } from "./await-job.ts";
import { type DeletionOutcome, deleteObject } from "./delete-object.ts";
import { readContents } from "./read-dependents.ts";

/**
 * Deletes one object of the plan. Returns true after the object is deleted or kept.
 * The first failure ends all deletions, like every other step.
 */
export async function applyDeletion(run: ApplyRun, deletion: Deletion): Promise<boolean> {
  const { key } = deletion;
  const { cluster, clock, progress } = run.world;
  if (run.cancellation.signal.aborted) return false;
  const why = await awaitUnused(run, deletion);
  if (run.cancellation.signal.aborted) return false;
  if (why !== undefined) return keepObject(run, key, why);
  const running = await awaitDeletedJob(run, deletion);
  if (running?.why === "stopped") return false;
  if (running !== undefined)
    return keepObject(run, key, `still running after ${running.seconds} s: ${running.status}`);
  const outcome = await deleteObject(deletion, {
    owner: run.plan,
    cluster,
    clock,
    watches: run.watches,
    limit: run.limit,
    signal: run.cancellation.signal,
    timeoutMs: run.limits.timeoutMs,
    stall: run.stall,
    onSending: () => progress.report({ type: "deleting", key }),
    onWaiting: (text) => progress.report({ type: "waiting", key, why: text }),
  });
  return recordOutcome(run, deletion, outcome);
}

/** Keeps an object. It stays in the inventory, so the next run checks it again. */
export function keepObject(run: ApplyRun, key: string, why: string): true {
  run.ledger.record(key, "kept", why);
  run.world.progress.report({ type: "kept", key, why });
  return true;
}

function recordOutcome(run: ApplyRun, deletion: Deletion, outcome: DeletionOutcome): boolean {
  const { key } = deletion;
  switch (outcome.state) {
    case "absent":
      run.ledger.record(key, "deleted", "");
      run.fresh.invalidate();
      run.world.progress.report({ type: "deleted", key });
      return true;
    case "kept":
      return keepObject(run, key, outcome.why);
    case "not sent":
      return false;
    case "stopped":
      run.ledger.recordUnfinished(key, "deleted", `deletion not confirmed: ${outcome.why}`);
      return false;
    case "failed":
      return fail(run, deletion, outcome.explanation);
  }
}

/**
 * Waits for the terminating Pods that use an object. Returns the reason why this run doesn't
 * delete the object, or undefined if it can be deleted.
 */
async function awaitUnused(run: ApplyRun, deletion: Deletion): Promise<string | undefined> {
  const { clock } = run.world;
  const grace = countGracePeriods(clock);
  const deadline = clock.elapsed() + run.limits.timeoutMs;
  for (;;) {
    const use = await readUse(run, deletion);
    if (use.reason !== undefined) return use.reason;
    const [first, ...others] = grace.running(use.terminatingPods);
    if (first === undefined || run.cancellation.signal.aborted) return undefined;
    const pods = [first, ...others] as const;
    const timeoutMs = deadline - clock.elapsed();
    if (timeoutMs <= 0) return describeTerminating(pods);
    await awaitTerminatingPods(run, deletion.key, { pods, grace, timeoutMs });
  }
}

/** The use of an object right before its deletion. */
interface Use {
  /** The reason to keep the object. */
  readonly reason: string | undefined;
  /** Pods that use the object and are shutting down. Empty if there is a reason. */
  readonly terminatingPods: readonly KubeObject[];
}

/**
 * Reads the current use of an object.
 * Old Pods can keep running after every new object is ready. Examples are `OnDelete`, a partition
 * and a Pod template that another field manager owns. The next start of such a Pod needs the
 * objects that it references.
 */
async function readUse(run: ApplyRun, deletion: Deletion): Promise<Use> {
  const isKept = (key: string) => run.ledger.getResult(key)?.outcome === "kept";
  const kept = keptDependentReason(deletion, isKept);
  if (kept !== undefined) return keepFor(kept);
  const use = await readUsers(run, deletion);
  if (use.reason !== undefined) return use;
  return { ...use, reason: await gainedObjectsReason(run, deletion) };
}

function keepFor(reason: string): Use {
  return { reason, terminatingPods: [] };
}

async function readUsers(run: ApplyRun, planned: Deletion): Promise<Use> {
  const deletion = await run.fresh.withProducts(planned, run.plan.deletions);
  const terminatingPods: KubeObject[] = [];
  let dependents: ReadonlySet<string> | undefined;
  const remains = (_user: KubeObject, root: KubeObject) => {
    dependents ??= dependentDeletions(deletion, run.plan.deletions);
    return !dependents.has(keyOf(idOf(root)));
  };
  for (const usable of usableObjects(deletion)) {
    const live = await run.fresh.workloads(usable.namespace);
    // Pods that qvs can't list might exist.
    if (!live.ok) return keepFor(unknownUseReason(live.failure.message));
    const reason = usageReason(deletion, usable, { live: live.value.active, remains });
    if (reason !== undefined) return keepFor(reason);
    terminatingPods.push(...podsUsing(deletion, usable, live.value.terminatingPods));
  }
  return { reason: undefined, terminatingPods };
}

/**
 * Returns a reason if a Namespace or definition gained objects after the plan was made.
 * The plan doesn't show them, but the API server would delete them, too.
 */
async function gainedObjectsReason(
  { world, limit, plan }: ApplyRun,
  { id, live, contents }: Deletion,
): Promise<string | undefined> {
  if (contents === undefined) return undefined;
  const uids = new Set(plan.deletions.map(({ uid }) => uid));
  const ownObjects = { keys: new Set(plan.deletions.map(({ key }) => key)), uids };
  const now = await readContents(world.cluster, limit, { id, live }, ownObjects);
  const predicted = new Set(contents.objects.map(({ key }) => key));
  const names = now.objects.flatMap((each) => (predicted.has(each.key) ? [] : [nameOf(each.id)]));
  const added = "objects that were created after the plan was made and would be deleted too";
  if (names.length > 0) return `it contains ${added}: ${summarizeList(names, maxNames)}`;
  const unread = new Set(contents.unread.map(({ kind }) => kind));
  const [unlisted] = now.unread.filter(({ kind }) => !unread.has(kind));
  return unlisted && `qvs can't list ${added}: ${unlisted.why}`;
}

/**
 * Returns the keys of this deletion and of all deletions that wait for it, transitively.
 * A workload that is deleted later can still use this object. Such a use must not block both
 * deletions.
 */
function dependentDeletions(
  { key }: Deletion,
  deletions: readonly Deletion[],
): ReadonlySet<string> {
  const found = new Set([key]);
  // A plan lists every object after the objects that its deletion waits for.
  for (const { key: later, after } of deletions) {
    if (after.some(({ on }) => found.has(on))) found.add(later);
  }
  return found;
}

const maxNames = 3;

/** The grace periods of terminating Pods, after which qvs doesn't wait for them. */
interface GracePeriods {
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
function countGracePeriods(clock: Clock): GracePeriods {
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
const maxPodNames = 3;

/** Names Pods in a reason or a progress text. */
function describeTerminating(pods: readonly KubeObject[]): string {
  const names = pods.map((pod) => nameOf(idOf(pod)));
  return `terminating Pods still use it: ${summarizeList(names, maxPodNames)}`;
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
async function awaitTerminatingPods(
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
