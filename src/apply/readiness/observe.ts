import type { KubeObject } from "../../model/object.ts";
import type { Run } from "../run.ts";
import { awaitReady, type Readiness } from "./await-ready.ts";
import type { Status } from "./status/status.ts";

/** Waits for one object of the run and remembers how it was last seen. */
export async function observe(
  run: Run,
  key: string,
  object: KubeObject,
  affected: boolean,
  demand: (object: KubeObject) => Status | undefined = () => undefined,
): Promise<Readiness> {
  const { cluster, clock, progress } = run.world;
  run.seen.set(key, object);
  const readiness = await awaitReady(object, {
    cluster,
    clock,
    watches: run.watches,
    signal: run.halt.signal,
    timeoutMs: run.limits.timeoutMs,
    affected,
    demand,
    onWaiting: (why) => progress.report({ type: "waiting", key, why }),
  });
  run.seen.set(key, readiness.object);
  return readiness;
}

/** `not ready after 600 s: 2/3 ready`. */
export function describeTimeout(run: Run, why: string): string {
  return `not ready after ${Math.round(run.limits.timeoutMs / 1000)} s: ${why}`;
}
