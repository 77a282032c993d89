import type { KubeObject } from "../../model/object.ts";
import { failWithEvidence, type Subject } from "../failure/fail.ts";
import type { Run } from "../run.ts";
import { awaitReady, type Readiness, type Unready, type Waiter } from "./await-ready.ts";
import type { Status } from "./status/status.ts";

/** Waits for one object of the run and records its last known state. */
export async function observe(
  run: Run,
  key: string,
  object: KubeObject,
  { affected, suspends }: Pick<Waiter, "affected" | "suspends">,
  demand: (object: KubeObject) => Status | undefined = () => undefined,
  earlier?: KubeObject,
): Promise<Readiness> {
  const { cluster, clock, progress } = run.world;
  run.ledger.see(key, object);
  const readiness = await awaitReady(object, {
    cluster,
    clock,
    watches: run.watches,
    signal: run.halt.signal,
    urgent: run.halt.urgent,
    timeoutMs: run.limits.timeoutMs,
    affected,
    suspends,
    earlier,
    demand,
    onWaiting: (why, isTrouble) => progress.report({ type: "waiting", key, why, isTrouble }),
  });
  run.ledger.see(key, readiness.object);
  return readiness;
}

/** Ends the run because of an object that isn't ready: `not ready after 600 s: 2/3 ready`. */
export function failUnready(
  run: Run,
  subject: Subject,
  { state, why, cause, object }: Unready,
): Promise<false> {
  const seconds = Math.round(run.limits.timeoutMs / 1000);
  const hasFailed = state === "failed";
  const what = hasFailed ? why : `not ready after ${seconds} s: ${why}`;
  return failWithEvidence(run, subject, { what, cause, hasFailed }, object);
}
