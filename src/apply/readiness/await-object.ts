import type { KubeObject } from "../../model/object.ts";
import type { AwaitedObject } from "../../model/plan.ts";
import { type FailureSubject, failWithEvidence } from "../failure/fail.ts";
import type { ApplyRun } from "../run.ts";
import { awaitReady, type Readiness, type UnreadyResult, type WaitOptions } from "./await-ready.ts";
import type { Status } from "./status/conditions.ts";

/** Waits for an object outside this deployment that a change depends on. qvs never writes it. */
export async function awaitOutsideObject(
  run: ApplyRun,
  { key, id, live }: AwaitedObject,
): Promise<boolean> {
  if (run.cancellation.signal.aborted) return false;
  const readiness = await awaitObject(run, key, live, { affected: false, suspends: undefined });
  switch (readiness.state) {
    case "ready":
    case "suspended":
      return true;
    case "stopped":
      return false;
    case "failed":
    case "timed out":
      return failUnready(run, { key, id }, readiness);
  }
}

/** Waits for one object of the run and records its last known state. */
export async function awaitObject(
  run: ApplyRun,
  key: string,
  object: KubeObject,
  { affected, suspends }: Pick<WaitOptions, "affected" | "suspends">,
  requirement: (object: KubeObject) => Status | undefined = () => undefined,
  objectBeforeRun?: KubeObject,
): Promise<Readiness> {
  const { cluster, clock, progress } = run.world;
  run.ledger.recordObject(key, object);
  const readiness = await awaitReady(object, {
    cluster,
    clock,
    watches: run.watches,
    health: run.health,
    signal: run.cancellation.signal,
    urgent: run.cancellation.urgent,
    timeoutMs: run.limits.timeoutMs,
    affected,
    suspends,
    objectBeforeRun,
    requirement,
    onWaiting: (why, isTrouble) => progress.report({ type: "waiting", key, why, isTrouble }),
  });
  run.ledger.recordObject(key, readiness.object);
  return readiness;
}

/** Ends the run because of an object that failed or isn't ready in time. */
export function failUnready(
  run: ApplyRun,
  subject: FailureSubject,
  { state, why, cause, object }: UnreadyResult,
): Promise<false> {
  const seconds = Math.round(run.limits.timeoutMs / 1000);
  const hasFailed = state === "failed";
  const fact = hasFailed ? {} : { what: `not ready after ${seconds} s` };
  return failWithEvidence(run, subject, { ...fact, status: why, cause, hasFailed }, object);
}
