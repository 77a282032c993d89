import type { PassedCheck } from "../model/deployments/deployment-checks.ts";
import type { ObjectResult } from "../model/deployments/release.ts";
import type { KubeObject } from "../model/object.ts";
import type { ObservedRollout } from "../model/plan/predictions.ts";
import type { SecretScrubber } from "./secret-scrubber.ts";
import { type Failure, failureDetail } from "./summarize-run.ts";

type ObjectOutcome = ObjectResult["outcome"];

/** A suspended object. A rollout keeps its old Pods. */
interface PausedObject {
  readonly name: string;
  readonly isRollout: boolean;
}

/** The state of each object of a run, by key. Nothing else changes while a plan is executed. */
export interface Ledger {
  /** Stores the object as the API server returned it. Its Secret values are hidden from then on. */
  recordObject(key: string, object: KubeObject): void;
  /** The objects as last seen. */
  readonly liveObjects: ReadonlyMap<string, KubeObject>;
  /** Records the final outcome of an object. */
  record(key: string, outcome: ObjectOutcome, detail: string): void;
  /** Records an outcome whose readiness or deletion wasn't confirmed before the run ended. */
  recordUnfinished(key: string, outcome: ObjectOutcome, detail: string): void;
  /** Records a failure. A later failure of the same object, with evidence, replaces it. */
  recordFailure(failure: Failure): void;
  /** Marks an object that another client created after the plan was made. */
  markPreExisting(key: string): void;
  /**
   * Marks an object that the run changes, or whose dependency the run changes.
   * Its earlier status might be outdated.
   */
  markAffected(key: string): void;
  isAffected(key: string): boolean;
  /** Records when, in ms, the API server accepted a changed definition of a kind (`group/Kind`). */
  markCrdChanged(kind: string, now: number): void;
  crdChangeTime(kind: string): number | undefined;
  /** Records a suspended object that might still need objects that the plan deletes. */
  markPaused(object: PausedObject): void;
  readonly paused: readonly PausedObject[];
  /** The names of the Jobs that this run used for its checks. */
  readonly checkJobs: Set<string>;
  /** Records that a check has passed. Values of Secrets in its evidence are hidden. */
  markPassed(key: string, passed: PassedCheck): void;
  /** The checks that have passed, by key. */
  readonly passedChecks: ReadonlyMap<string, PassedCheck>;
  /** The observed rollouts that completed, by the key of the workload. */
  readonly rollouts: Map<string, ObservedRollout>;
  /** Returns undefined for an object that wasn't attempted. */
  getResult(key: string): ObjectResult | undefined;
  getFailure(key: string): Failure | undefined;
  /** Returns sorted names such as `Deployment shop/web`. */
  failedNames(): readonly string[];
  isUnfinished(key: string): boolean;
  /** Reports whether every object has a confirmed result, and every check has passed. */
  isComplete(keys: readonly string[]): boolean;
}

export function createLedger(secrets: SecretScrubber): Ledger {
  const results = new Map<string, ObjectResult>();
  const failures = new Map<string, Failure>();
  const liveObjects = new Map<string, KubeObject>();
  const unfinished = new Set<string>();
  const affected = new Set<string>();
  const preExisting = new Set<string>();
  const crdChanges = new Map<string, number>();
  const paused: PausedObject[] = [];
  const passedChecks = new Map<string, PassedCheck>();
  const record = (key: string, outcome: ObjectOutcome, detail: string): void => {
    const result = { key, outcome, detail: secrets.scrub(detail) };
    results.set(key, preExisting.has(key) ? { ...result, met: true } : result);
  };
  return {
    liveObjects,
    paused,
    passedChecks,
    checkJobs: new Set(),
    rollouts: new Map(),
    record,
    recordObject: (key, object) => {
      liveObjects.set(key, object);
      secrets.add(object);
    },
    recordUnfinished: (key, outcome, detail) => {
      unfinished.add(key);
      record(key, outcome, detail);
    },
    recordFailure: (failure) => {
      record(failure.key, "failed", failureDetail(failure));
      failures.set(failure.key, failure);
    },
    markPreExisting: (key) => preExisting.add(key),
    markAffected: (key) => affected.add(key),
    isAffected: (key) => affected.has(key),
    markCrdChanged: (kind, now) => crdChanges.set(kind, now),
    crdChangeTime: (kind) => crdChanges.get(kind),
    markPaused: (object) => paused.push(object),
    markPassed: (key, passed) => {
      const evidence = passed.evidence.map(({ label, value }) => {
        return { label, value: secrets.scrub(value) };
      });
      passedChecks.set(key, { ...passed, evidence });
    },
    getResult: (key) => results.get(key),
    getFailure: (key) => failures.get(key),
    failedNames: () => [...failures.values()].map(({ name }) => name).sort(),
    isUnfinished: (key) => unfinished.has(key),
    isComplete: (keys) =>
      unfinished.size === 0 && keys.every((key) => results.has(key) || passedChecks.has(key)),
  };
}
