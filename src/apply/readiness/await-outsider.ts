import type { AwaitedObject } from "../../model/plan.ts";
import type { Run } from "../run.ts";
import { failUnready, observe } from "./observe.ts";

/** Waits for an object outside this deployment that a change depends on. qvs never writes it. */
export async function awaitOutsider(run: Run, { key, id, live }: AwaitedObject): Promise<boolean> {
  if (run.halt.signal.aborted) return false;
  const readiness = await observe(run, key, live, { affected: false, suspends: undefined });
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
