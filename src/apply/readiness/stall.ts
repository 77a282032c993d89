import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { KubeObject } from "../../model/object.ts";
import type { Clock } from "../../ports/clock.ts";

/**
 * Measures how long no awaited object of a run has made progress
 * (docs/reference/deployment.md#no-progress).
 */
export interface StallMonitor {
  /** Begins the wait for one object, which counts as progress of the run. */
  begin(key: string): AwaitedProgress;
}

/** The progress of one awaited object. */
export interface AwaitedProgress {
  /** Records the state of the object. A state that it had before isn't progress. */
  observe(state: string): void;
  /**
   * Returns the time, in ms, until the run fails because of this object. It is 0 or less only for
   * the object that has made no progress for the longest time.
   */
  remaining(): number;
  /** Returns the time, in ms, since the object's last progress. */
  stuckMs(): number;
  /** Ends the wait, which counts as progress of the run. */
  end(): void;
}

/** The monitor of a run without a limit. */
const unlimited: StallMonitor = {
  begin: () => ({
    observe: () => {},
    remaining: () => Number.POSITIVE_INFINITY,
    stuckMs: () => 0,
    end: () => {},
  }),
};

interface Progress {
  readonly key: string;
  readonly seen: Set<string>;
  since: number;
}

export function createStallMonitor(
  clock: Pick<Clock, "elapsed">,
  noProgressMs: number | undefined,
): StallMonitor {
  if (noProgressMs === undefined) return unlimited;
  const awaited = new Set<Progress>();
  let last = clock.elapsed();
  return {
    begin(key) {
      last = clock.elapsed();
      const own: Progress = { key, seen: new Set(), since: last };
      awaited.add(own);
      return {
        observe(state) {
          if (own.seen.has(state)) return;
          own.seen.add(state);
          own.since = clock.elapsed();
          last = own.since;
        },
        remaining() {
          const left = last + noProgressMs - clock.elapsed();
          const isStuckest = longestStuck(awaited) === own;
          return left > 0 || isStuckest ? left : Number.POSITIVE_INFINITY;
        },
        stuckMs: () => clock.elapsed() - own.since,
        end() {
          awaited.delete(own);
          last = clock.elapsed();
        },
      };
    },
  };
}

/** Returns the object without progress for the longest time. Its key breaks ties. */
function longestStuck(awaited: ReadonlySet<Progress>): Progress | undefined {
  return [...awaited].reduce<Progress | undefined>((stuck, each) => {
    if (stuck === undefined || each.since < stuck.since) return each;
    return each.since === stuck.since && each.key < stuck.key ? each : stuck;
  }, undefined);
}

/**
 * Returns the part of an object that changes only if its controller makes progress: the generation,
 * counts, phases, and the status and reason of conditions. Times, messages, and counts of failures
 * change without any progress.
 */
export function progressState({ metadata, status }: KubeObject): string {
  const { generation = null } = metadata;
  return JSON.stringify([generation, isObject(status) ? withoutNoise(status) : null]);
}

function withoutNoise(object: JsonObject): JsonObject {
  const kept = Object.entries(object).filter(([name, value]) => !isNoise(name, value));
  return Object.fromEntries(
    kept.map(([name, value]): readonly [string, Json] => [name, reduced(name, value)]),
  );
}

function reduced(name: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((each) => reduced(name, each));
  return isObject(value) ? withoutNoise(value) : value;
}

function isNoise(name: string, value: Json): boolean {
  if (typeof value === "number") return failureCount.test(name);
  return (typeof value === "string" && isoTime.test(value)) || noise.test(name);
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Numbers that grow with every failed attempt. */
const failureCount = /fail|retr(?:y|ies)|restart|attempt|error|collision|backoff/i;

/** Fields with another content at every write of a controller. */
const noise =
  /message$|time$|timestamp$|heartbeat|^lastProbe|resourceVersion$|^uncountedTerminatedPods$/i;
