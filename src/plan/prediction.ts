import type { KubeObject } from "../model/object.ts";

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
