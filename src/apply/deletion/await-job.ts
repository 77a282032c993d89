import {
  describeRunningJob,
  isJob,
  isRunningJob,
  mayBeInterrupted,
  replacedJobs,
} from "../../model/cluster/jobs.ts";
import { numberAt, textAt } from "../../model/json.ts";
import { addressOf, idOf, type KubeObject, nameOf, uidOf } from "../../model/object.ts";
import type { Deletion } from "../../model/plan/deletion.ts";
import type { Change } from "../../model/plan/plan.ts";
import { fail } from "../failure/fail.ts";
import { createConditionVariable } from "../readiness/condition-variable.ts";
import type { ApplyRun } from "../run.ts";

/** The reason why a wait for a Job ended early: the run ended, or the timeout passed. */
type StillRunning =
  | { readonly why: "stopped" }
  | { readonly why: "too long"; readonly seconds: number; readonly status: string };

/**
 * Waits until a Job that will be deleted has ended.
 * Returns undefined after the end, or if the Job can be interrupted.
 */
export async function awaitDeletedJob(
  run: ApplyRun,
  { key, id, live }: Deletion,
): Promise<StillRunning | undefined> {
  return isJob(id) && !mayBeInterrupted(live) ? awaitJobEnd(run, key, live) : undefined;
}

/** Waits for the Jobs that a new Job replaces. Returns false if one of them still runs. */
export async function awaitReplacedJobs(run: ApplyRun, change: Change): Promise<boolean> {
  for (const { id, live } of replacedJobs(change, run.plan.deletions)) {
    const running = await awaitJobEnd(run, change.key, live);
    if (running?.why === "stopped") return false;
    if (running !== undefined) {
      return fail(run, change, {
        code: "job-running",
        what: `${nameOf(id)} still runs after ${running.seconds} s`,
        facts: [{ label: "status", value: running.status }],
        why: `This Job replaces ${nameOf(id)}`,
        fix: `Run again after ${nameOf(id)} has ended`,
        otherwise: ['annotate the new Job with vs.axis-dev.io/replace: "true" to run both at once'],
      });
    }
  }
  return true;
}

const tickMs = 5_000;

/**
 * Reports whether an active Job has a running Pod, ready or not.
 * The count of ready Pods isn't enough: a running Pod can fail its readiness probe. A Pod that
 * can't pull its image doesn't run and must not block its own correction.
 */
async function hasRunningPods(run: ApplyRun, job: KubeObject): Promise<boolean> {
  if ((numberAt(job, "status", "active") ?? 0) === 0) return false;
  const { namespace, name } = addressOf(job);
  const pods = await run.limit(() =>
    run.world.cluster.list("v1", "Pod", namespace, `batch.kubernetes.io/job-name=${name}`),
  );
  // Pods that qvs can't list might run.
  if (!pods.ok) return true;
  return pods.value.items.some((pod) => textAt(pod, "status", "phase") === "Running");
}

async function awaitJobEnd(
  run: ApplyRun,
  key: string,
  job: KubeObject,
): Promise<StillRunning | undefined> {
  const { clock, cluster, progress } = run.world;
  const { signal } = run.cancellation;
  const address = addressOf(job);
  const read = async (): Promise<KubeObject | undefined> => {
    const answer = await run.limit(() => cluster.read(address));
    // A Job that qvs can't read might run.
    if (!answer.ok) return answer.failure.reason === "not-found" ? undefined : job;
    const live = answer.value;
    if (live === undefined || uidOf(live) !== uidOf(job)) return undefined;
    return isRunningJob(live) || (await hasRunningPods(run, live)) ? live : undefined;
  };
  let running = await read();
  if (running === undefined) return undefined;
  const changed = createConditionVariable();
  const followed = run.watches.followOne(address, address.name, changed.notify);
  signal.addEventListener("abort", changed.notify);
  const { timeoutMs } = run.limits;
  const deadline = clock.elapsed() + timeoutMs;
  try {
    for (; running !== undefined; running = await read()) {
      if (signal.aborted) return { why: "stopped" };
      const status = describeRunningJob(running);
      const left = deadline - clock.elapsed();
      if (left <= 0) {
        const seconds = Math.round(timeoutMs / 1000);
        return { why: "too long", seconds, status };
      }
      progress.report({ type: "waiting", key, why: `${nameOf(idOf(job))} is running: ${status}` });
      await changed.wait(clock, Math.min(tickMs, left));
    }
    return undefined;
  } finally {
    signal.removeEventListener("abort", changed.notify);
    followed.stop();
  }
}
