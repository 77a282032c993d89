import type { Clearing } from "../model/clearing.ts";
import type { KubeObject } from "../model/object.ts";
import type { FieldConflict } from "../model/plan.ts";

/** Why the server refused a dry-run, in the words of its Status. */
export interface DryRunFailure {
  readonly reason: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly message: string;
  readonly causes: readonly {
    readonly reason: string;
    readonly field: string;
    readonly message: string;
  }[];
}

/** What a dry-run answered. An object that has no prediction was not asked about. */
export type Prediction =
  | { readonly ok: true; readonly value: KubeObject }
  | { readonly ok: false; readonly failure: DryRunFailure };

export type Predictions = ReadonlyMap<string, Prediction>;

/** Everything that dry-runs have shown, each by the key of its object. */
export interface Foreseen {
  /**
   * For `objectsToDryRun`; with force where `forces` says so, without its default where `clears` does, and failed where it
   * may not lose what a takeover would take from it.
   */
  readonly predictions: Predictions;
  /** From `contestsToSettle`. */
  readonly forces: ReadonlyMap<string, readonly FieldConflict[]>;
  /** From `blockedByDefaults`. */
  readonly clears: ReadonlyMap<string, Clearing>;
  /** From `outdatedOwners`: versions by the keys of objects that can only be merged without them. */
  readonly renews: ReadonlyMap<string, readonly string[]>;
  /** For `objectsThatLose`: what the server makes of what is left of them. */
  readonly losing: Predictions;
  /** For `objectsToReplace`. */
  readonly replacements: Predictions;
}

export function nothingForeseen(predictions: Predictions = new Map()): Foreseen {
  const none = new Map<string, never>();
  const others = { forces: none, clears: none, renews: none, losing: none, replacements: none };
  return { predictions, ...others };
}
