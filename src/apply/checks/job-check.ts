import { isConditionTrue } from "../../health/conditions.ts";
import {
  checkId,
  checkJob,
  checkKey,
  isSameCheckJob,
  type JobCheck,
} from "../../model/deployments/deployment-checks.ts";
import { numberAt, textAt } from "../../model/json.ts";
import { addressOf, idOf, type KubeObject, nameOf, uidOf } from "../../model/object.ts";
import { waitUntilDeleted } from "../deletion/delete-object.ts";
import { explainFailure } from "../failure/explain-failure.ts";
import { fail, failWithEvidence } from "../failure/fail.ts";
import { awaitReady, type Readiness } from "../readiness/await-ready.ts";
import type { ApplyRun } from "../run.ts";
import type { CheckPass } from "./http-check.ts";

/**
 * Runs the Job of a check, or waits for the Job of an earlier run that checks the same state. A
 * Job that has succeeded isn't run again. A Job that has failed is. Returns undefined if it doesn't
 * succeed.
 */
export async function runJobCheck(run: ApplyRun, check: JobCheck): Promise<CheckPass | undefined> {
  const wanted = checkJob(run.plan, check, stateDigest(run, check));
  const job = await startJob(run, check, wanted);
  if (job === undefined) return undefined;
  run.ledger.checkJobs.add(idOf(job).name);
  const readiness = await awaitJob(run, check, job);
  const subject = checkSubject(run, check);
  const { object } = readiness;
  const seconds = check.timeoutMs / 1000;
  switch (readiness.state) {
    case "ready":
      return describeSuccess(object);
    case "stopped":
      await stopJob(run, object);
      return undefined;
    case "suspended":
    case "failed": {
      const what = `${nameOf(idOf(object))} failed`;
      const failure = { what, status: readiness.why, hasFailed: true };
      await failWithEvidence(run, subject, failure, object);
      return undefined;
    }
    case "stalled":
    case "timed out":
      await failWithEvidence(
        run,
        subject,
        { what: `not passed after ${seconds} s`, status: readiness.why },
        object,
      );
      return undefined;
  }
}

/** A Job that an earlier run has started counts with its own times. */
function describeSuccess(job: KubeObject): CheckPass {
  const [succeeded = 0, failed = 0] = ["succeeded", "failed"].map((name) =>
    numberAt(job, "status", name),
  );
  const completed = textAt(job, "status", "completionTime");
  return {
    attempts: Math.max(1, succeeded + failed),
    evidence: [
      { label: "job", value: idOf(job).name },
      ...(completed === undefined ? [] : [{ label: "completed", value: completed }]),
    ],
  };
}

function checkSubject({ plan }: ApplyRun, check: JobCheck) {
  return { key: checkKey(plan.namespace, check), id: checkId(plan.namespace, check) };
}

/**
 * Returns a digest of the state that the Job checks: the check, and every object with its
 * generation, or with its version if it has none. A run that continues a killed one finds the same
 * state. A plan's own digest would differ, because the killed run has already made its changes.
 * If objects wait for the check, the others change at the same time. The state is then that of the
 * objects that the check needs, and the manifests of those that wait.
 */
function stateDigest({ plan, ledger, world }: ApplyRun, check: JobCheck): string {
  const gate = plan.gates?.find(({ name }) => name === check.name);
  const needed = gate && new Set(gate.after.map(({ on }) => on));
  const changes = plan.changes.filter(({ key }) => needed?.has(key) ?? true);
  const states = changes.map(({ key, live }) => {
    const object = ledger.liveObjects.get(key) ?? live;
    const version = textAt(object, "metadata", "resourceVersion") ?? "";
    return [key, object && uidOf(object), numberAt(object, "metadata", "generation") ?? version];
  });
  const sorted = states.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  const waiting = gate && { before: gate.digest };
  return world.hash(
    JSON.stringify({ deployment: plan.deployment, check, states: sorted, ...waiting }),
  );
}

/** Returns the live Job. Fails the run if it can't be created. */
async function startJob(
  run: ApplyRun,
  check: JobCheck,
  wanted: KubeObject,
): Promise<KubeObject | undefined> {
  const { cluster } = run.world;
  const found = await cluster.read(addressOf(wanted));
  if (!found.ok) return failStart(run, check, explainFailure(found.failure, wanted));
  if (found.value !== undefined && !isSameCheckJob(found.value, wanted))
    return failStart(run, check, nameTaken(found.value));
  if (found.value !== undefined && !hasEnded(found.value)) return found.value;
  if (found.value !== undefined && !(await removeJob(run, check, found.value))) return undefined;
  if (run.cancellation.signal.aborted) return undefined;
  const created = await cluster.create(wanted);
  if (created.ok) return created.value;
  return failStart(run, check, explainFailure(created.failure, wanted));
}

/** Reports whether a Job can't pass any more: it failed, or it is being deleted. */
function hasEnded(job: KubeObject): boolean {
  const isDeleted = textAt(job, "metadata", "deletionTimestamp") !== undefined;
  return isDeleted || isConditionTrue(job, "Failed");
}

function nameTaken(job: KubeObject): Parameters<typeof fail>[2] {
  return {
    code: "check-failed",
    what: `${nameOf(idOf(job))} isn't its Job, although it has the name`,
    fix: "Rename the check, or delete the Job",
  };
}

function failStart(run: ApplyRun, check: JobCheck, why: Parameters<typeof fail>[2]): undefined {
  fail(run, checkSubject(run, check), why);
}

/** Deletes a Job and its Pods, and waits until it no longer exists. */
async function removeJob(run: ApplyRun, check: JobCheck, job: KubeObject): Promise<boolean> {
  const { cluster, clock, progress } = run.world;
  const key = checkKey(run.plan.namespace, check);
  const name = nameOf(idOf(job));
  const deleted = await cluster.delete(addressOf(job), uidOf(job));
  if (!deleted.ok) {
    failStart(run, check, explainFailure(deleted.failure, job));
    return false;
  }
  const outcome = await waitUntilDeleted(
    addressOf(job),
    { key, uid: uidOf(job) },
    {
      ...{ cluster, clock, watches: run.watches, limit: run.limit, stall: run.stall },
      timeoutMs: check.timeoutMs,
      signal: run.cancellation.signal,
      onWaiting: (why) => progress.report({ type: "waiting", key, why: `${name}: ${why}` }),
    },
  );
  if (outcome.state === "failed") {
    const { facts = [] } = outcome.explanation;
    const what = `${name} of an earlier run is still being deleted`;
    const fix = "Run again when it is deleted";
    failStart(run, check, { code: "check-failed", what, facts, fix });
  }
  return outcome.state === "absent";
}

function awaitJob(run: ApplyRun, check: JobCheck, job: KubeObject): Promise<Readiness> {
  const { cluster, clock, progress } = run.world;
  const { signal } = run.cancellation;
  const key = checkKey(run.plan.namespace, check);
  return awaitReady(job, {
    ...{ cluster, clock, watches: run.watches, health: run.health, signal, urgent: signal },
    timeoutMs: check.timeoutMs,
    affected: false,
    onWaiting: (why, isTrouble) =>
      progress.report({ type: "waiting", key, why: `${nameOf(idOf(job))}: ${why}`, isTrouble }),
  });
}

/** Deletes the Job of a canceled run. Without the lock, another run might be waiting for it. */
async function stopJob({ world, cancellation }: ApplyRun, job: KubeObject): Promise<void> {
  if (cancellation.reason() === "lock lost") return;
  await world.cluster.delete(addressOf(job), uidOf(job));
}
