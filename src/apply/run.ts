import type { KubeObject } from "../model/object.ts";
import type { Plan } from "../model/plan.ts";
import type { ObjectResult } from "../model/release.ts";
import type { Clock, Cluster, Progress } from "../ports.ts";
import { createUsage, type Usage } from "./deletion/usage.ts";
import { createGate, type Gate } from "./gate.ts";
import { createHalt, type Halt } from "./halt.ts";
import { kindsDefinedBy } from "./readiness/await-served.ts";
import { createWatches, type Watches } from "./readiness/watches.ts";
import type { Failure } from "./result.ts";
import { type Demands, demandsOf } from "./upsert/live-references.ts";

/** What applying a plan may touch. */
export interface World {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Aborts when a person wants the run to end. */
  readonly signal: AbortSignal;
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal;
}

export interface Limits {
  /** Requests at once. Waiting is not limited: it costs nothing, and what is waited for may need what comes next. */
  readonly concurrency: number;
  /** How long one object may take to become ready, or to go. */
  readonly timeoutMs: number;
}

export const defaultLimits: Limits = { concurrency: 16, timeoutMs: 600_000 };

/** One run of a plan: its world, and what has come of it so far. */
export interface Run {
  readonly plan: Plan;
  readonly world: World;
  readonly limits: Limits;
  readonly watches: Watches;
  readonly gate: Gate;
  readonly usage: Usage;
  readonly halt: Halt;
  readonly demands: Demands;
  /** `group/Kind` of what the plan itself defines. */
  readonly newKinds: ReadonlySet<string>;
  /** By key; what is missing at the end was not attempted. */
  readonly outcomes: Map<string, ObjectResult>;
  readonly failures: Map<string, Failure>;
  /** Objects as last seen, by key. */
  readonly seen: Map<string, KubeObject>;
  /** Keys of what was written but not seen ready, or not seen gone, when the run ended. */
  readonly unfinished: Set<string>;
  /** Keys of what this run has changed, and of what depends on that. */
  readonly affected: Set<string>;
  /** Names of rollouts that are held back on purpose: their old Pods live on. */
  readonly heldBack: string[];
}

export function startRun(plan: Plan, world: World, limits: Limits): Run {
  const gate = createGate(limits.concurrency);
  return {
    plan,
    world,
    limits,
    watches: createWatches(world.cluster),
    gate,
    usage: createUsage(world.cluster, gate),
    halt: createHalt(world.signal, world.lost),
    demands: demandsOf(plan.changes),
    newKinds: kindsDefinedBy(plan.changes),
    outcomes: new Map(),
    failures: new Map(),
    seen: new Map(),
    unfinished: new Set(),
    affected: new Set(),
    heldBack: [],
  };
}

export function record(
  run: Run,
  key: string,
  outcome: ObjectResult["outcome"],
  detail: string,
): void {
  run.outcomes.set(key, { key, outcome, detail });
}
