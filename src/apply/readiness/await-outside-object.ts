import type { AwaitedObject } from "../../model/plan.ts";
import type { ApplyRun } from "../run.ts";
import { awaitObject, failUnready } from "./await-object.ts";

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
