import type { KubeObject } from "../model/object.ts";
import type { ObjectResult } from "../model/release.ts";
import type { Failure } from "./result.ts";
import type { SecretTexts } from "./secret-texts.ts";

type Outcome = ObjectResult["outcome"];

/** The state of each object of a run, by key. Nothing else changes while a plan is executed. */
export interface Ledger {
  /** Stores the object as the API server returned it. Its Secret values are hidden from then on. */
  see(key: string, object: KubeObject): void;
  /** The objects as last seen. */
  readonly seen: ReadonlyMap<string, KubeObject>;
  /** Records the final outcome of an object. */
  record(key: string, outcome: Outcome, detail: string): void;
  /** Records an outcome whose readiness or deletion wasn't confirmed before the run ended. */
  recordUnfinished(key: string, outcome: Outcome, detail: string): void;
  /** Records a failure. A later failure of the same object, with evidence, replaces it. */
  recordFailure(failure: Failure): void;
  /** Marks an object that another client created after the plan was made. */
  markMet(key: string): void;
  /**
   * Marks an object that the run changes, or whose dependency the run changes.
   * Its earlier status might be outdated.
   */
  markAffected(key: string): void;
  isAffected(key: string): boolean;
  /** Records when, in ms, the API server accepted a changed definition of a kind (`group/Kind`). */
  markDefined(kind: string, now: number): void;
  definedAt(kind: string): number | undefined;
  /** Records the name of a rollout that is suspended on purpose. Its old Pods keep running. */
  holdBack(name: string): void;
  readonly heldBack: readonly string[];
  /** Returns undefined for an object that wasn't attempted. */
  resultOf(key: string): ObjectResult | undefined;
  failureOf(key: string): Failure | undefined;
  /** Returns sorted names such as `Deployment shop/web`. */
  failedNames(): readonly string[];
  isUnfinished(key: string): boolean;
  /** Reports whether every object has a confirmed result. */
  isComplete(keys: readonly string[]): boolean;
}

export function createLedger(secrets: SecretTexts): Ledger {
  const results = new Map<string, ObjectResult>();
  const failures = new Map<string, Failure>();
  const seen = new Map<string, KubeObject>();
  const unfinished = new Set<string>();
  const affected = new Set<string>();
  const met = new Set<string>();
  const defined = new Map<string, number>();
  const heldBack: string[] = [];
  const record = (key: string, outcome: Outcome, detail: string): void => {
    const result = { key, outcome, detail: secrets.hide(detail) };
    results.set(key, met.has(key) ? { ...result, met: true } : result);
  };
  return {
    seen,
    heldBack,
    record,
    see: (key, object) => {
      seen.set(key, object);
      secrets.add(object);
    },
    recordUnfinished: (key, outcome, detail) => {
      unfinished.add(key);
      record(key, outcome, detail);
    },
    recordFailure: (failure) => {
      record(failure.key, "failed", failure.what);
      failures.set(failure.key, failure);
    },
    markMet: (key) => met.add(key),
    markAffected: (key) => affected.add(key),
    isAffected: (key) => affected.has(key),
    markDefined: (kind, now) => defined.set(kind, now),
    definedAt: (kind) => defined.get(kind),
    holdBack: (name) => heldBack.push(name),
    resultOf: (key) => results.get(key),
    failureOf: (key) => failures.get(key),
    failedNames: () => [...failures.values()].map(({ name }) => name).sort(),
    isUnfinished: (key) => unfinished.has(key),
    isComplete: (keys) => unfinished.size === 0 && keys.every((key) => results.has(key)),
  };
}
