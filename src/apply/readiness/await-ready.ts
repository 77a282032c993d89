import { addressOf, type KubeObject, uidOf } from "../../model/object.ts";
import type { Clock, Cluster } from "../../ports.ts";
import { followPods } from "../failure/pod-reason.ts";
import { isAtLeastAsNew } from "../identity.ts";
import { createBell } from "./bell.ts";
import { bindingOf } from "./binding-of.ts";
import { isCompletedJob } from "./status/job.ts";
import type { Before, Facts, Status } from "./status/status.ts";
import { failed } from "./status/status.ts";
import { statusOf } from "./status/status-of.ts";
import type { Followed, Watches } from "./watches.ts";

/** What came of waiting, with the object as last seen. */
export type Readiness =
  | { readonly state: "ready"; readonly notice: string | undefined; readonly object: KubeObject }
  | {
      readonly state: "suspended" | "failed" | "timed out" | "stopped";
      readonly why: string;
      readonly object: KubeObject;
    };

export interface Waiter {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly watches: Watches;
  /** Ends the waiting early. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whether this run has changed the object or what it depends on: its status may still be about what was before. */
  readonly affected: boolean;
  /** More to be satisfied than the kind's own rule, e.g. a field that something refers to. */
  readonly demand?: (object: KubeObject) => Status | undefined;
  readonly onWaiting: (why: string) => void;
}

/** How often time alone is given a chance to change the verdict. Nothing is asked of the server for it. */
const tickMs = 5_000;

/** Waits until `written`, as the server answered it or as the plan saw it, is ready. */
export async function awaitReady(written: KubeObject, waiter: Waiter): Promise<Readiness> {
  const judge = judgeFor(written, waiter);
  // What exists and has no controller is ready as soon as it is written: no watch is opened for it.
  return settled(await judge(written), written) ?? watchUntilReady(written, waiter, judge);
}

type Judge = (object: KubeObject) => Promise<Status>;

function judgeFor(written: KubeObject, { cluster, clock, affected, demand }: Waiter): Judge {
  const binding = bindingOf(cluster, written);
  const before: Before | undefined = affected ? { object: written, at: clock.now() } : undefined;
  return async (object) => {
    const facts: Facts = { now: clock.now(), before, binding: await binding() };
    const status = statusOf(object, facts);
    return status.state === "ready" ? (demand?.(object) ?? status) : status;
  };
}

async function watchUntilReady(
  written: KubeObject,
  waiter: Waiter,
  judge: Judge,
): Promise<Readiness> {
  const { clock, signal, timeoutMs } = waiter;
  const address = addressOf(written);
  const bell = createBell();
  const objects = waiter.watches.followOne(address, address.name, bell.ring);
  const pods = followPods(waiter.watches, written, bell.ring);
  signal.addEventListener("abort", bell.ring);
  const began = clock.now().getTime();
  const announce = announcer(waiter.onWaiting);
  try {
    for (let seen = written; ; ) {
      const elapsed = clock.now().getTime() - began;
      const silent = elapsed >= tickMs && objects.sighting(address.name) === undefined;
      // Before time is up, the truth is asked for: a watch can stall without anybody noticing.
      const sighting =
        silent || elapsed >= timeoutMs
          ? await readInstead(waiter.cluster, written, objects)
          : look(written, objects);
      if (sighting.object !== undefined) seen = sighting.object;
      const status = sighting.verdict ?? (await judge(seen));
      const end = settled(status, seen);
      if (end !== undefined) return end;
      const why = [whyOf(status), pods.reason(), sighting.trouble].filter(Boolean).join("; ");
      if (signal.aborted) return { state: "stopped", why, object: seen };
      const left = timeoutMs - elapsed;
      if (left <= 0) return { state: "timed out", why, object: seen };
      announce(why);
      await bell.sleep(clock, Math.min(tickMs, left));
    }
  } finally {
    signal.removeEventListener("abort", bell.ring);
    objects.stop();
    pods.stop();
  }
}

/** What the watch knows of our object. */
interface Look {
  readonly object?: KubeObject;
  /** Set when it is beyond waiting. */
  readonly verdict?: Status;
  readonly trouble?: string;
}

function look(written: KubeObject, objects: Followed): Look {
  const sighting = objects.sighting(addressOf(written).name);
  const trouble = objects.trouble();
  if (trouble?.final) return { verdict: failed(`it can't be watched: ${trouble.message}`) };
  if (sighting === undefined) return trouble === undefined ? {} : { trouble: trouble.message };
  const { object, present } = sighting;
  if (uidOf(object) !== uidOf(written)) return isAtLeastAsNew(object, written) ? replaced : {};
  if (!present && !isCompletedJob(object)) {
    return { verdict: failed("it was deleted while it was waited for") };
  }
  return isAtLeastAsNew(object, written) ? { object } : {};
}

const replaced: Look = {
  verdict: failed("another object took its place while it was waited for"),
};

/** An object that went away before the watch began is never mentioned by it, so silence is checked. */
async function readInstead(
  cluster: Cluster,
  written: KubeObject,
  objects: Followed,
): Promise<Look> {
  const refused = look(written, objects);
  if (refused.verdict !== undefined) return refused;
  const answer = await cluster.read(addressOf(written));
  if (!answer.ok) return { trouble: refused.trouble ?? answer.failure.message };
  if (answer.value === undefined) {
    return { verdict: failed("it was deleted while it was waited for") };
  }
  return uidOf(answer.value) === uidOf(written) ? { object: answer.value } : replaced;
}

/** The end of waiting that a status means, if it means one. */
function settled(status: Status, object: KubeObject): Readiness | undefined {
  switch (status.state) {
    case "ready":
      return { state: "ready", notice: status.notice, object };
    case "suspended":
    case "failed":
      return { state: status.state, why: status.why, object };
    case "waiting":
      return undefined;
  }
}

function whyOf(status: Status): string {
  return status.state === "ready" ? "" : status.why;
}

/** Tells every reason once, however often it is found again. */
function announcer(tell: (why: string) => void): (why: string) => void {
  let told: string | undefined;
  return (why) => {
    if (why !== told) tell(why);
    told = why;
  };
}
