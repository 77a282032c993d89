import type { KubeObject } from "../model/object.ts";
import type { ObjectResult } from "../model/release.ts";
import type { Failure } from "./result.ts";
import type { SecretTexts } from "./secret-texts.ts";

type Outcome = ObjectResult["outcome"];

/** What has come of each object of a run, by its key. Nothing else changes while a plan is executed. */
export interface Ledger {
  /** The object as the server has it now. Secret values in it are hidden from then on. */
  see(key: string, object: KubeObject): void;
  /** Objects as last seen. */
  readonly seen: ReadonlyMap<string, KubeObject>;
  /** What was done with it, for good. */
  record(key: string, outcome: Outcome, detail: string): void;
  /** The same, where the run ended before it was confirmed as ready, or as deleted. */
  recordUnfinished(key: string, outcome: Outcome, detail: string): void;
  /** It failed; said again, with evidence, it replaces what was said before. */
  recordFailure(failure: Failure): void;
  /** Somebody else has created it after the plan was made. */
  markMet(key: string): void;
  /** The run changes it, or something that it depends on: what its status said before may not hold any more. */
  markAffected(key: string): void;
  isAffected(key: string): boolean;
  /** A kind, as `group/Kind`, whose definition the server has taken with its changes, at this time in ms. */
  markDefined(kind: string, now: number): void;
  definedAt(kind: string): number | undefined;
  /** A rollout that is suspended on purpose, by its name: its old Pods keep running. */
  holdBack(name: string): void;
  readonly heldBack: readonly string[];
  /** undefined where it was not attempted. */
  resultOf(key: string): ObjectResult | undefined;
  failureOf(key: string): Failure | undefined;
  /** `Deployment shop/web`, sorted. */
  failedNames(): readonly string[];
  isUnfinished(key: string): boolean;
  /** Whether each of them has a result that was confirmed. */
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
