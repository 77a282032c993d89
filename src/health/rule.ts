export type HealthState = "ready" | "progressing" | "failed" | "suspended" | "unknown";

/** The state of an object, computed from the object alone. */
export interface Health {
  readonly state: HealthState;
  /** Empty if the object is ready. */
  readonly reason: string;
  /** False if the object has no rule and reports nothing that shows its state. */
  readonly isReported: boolean;
  /** The place of the rule, as in `HealthRule.source`, or `general`. */
  readonly rule: string;
}

/** A state with its reason. `isReported` is true by default. */
export type Judgment = Pick<Health, "state" | "reason"> & Partial<Pick<Health, "isReported">>;
