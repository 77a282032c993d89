/**
 * Decides the state of the objects of some kinds by CEL expressions
 * (docs/reference/health-rules.md). The form is the one of Flux's `healthCheckExprs`, and
 * `suspended` and `message` in addition.
 */
export interface HealthRule {
  /** API groups. `*.example.com` matches the groups with this suffix. */
  readonly groups: readonly string[];
  /** Kinds, or `*` for all kinds of these groups that have no rule of their own. */
  readonly kinds: readonly string[];
  /** Boolean expressions. The first one that is true decides, in this order. */
  readonly inProgress?: string;
  readonly failed?: string;
  readonly suspended?: string;
  readonly current: string;
  /** An expression for the reason, a string. */
  readonly message?: string;
  /** The place of the rule: `built-in: cert-manager.yaml`, or a file with its line. */
  readonly source: string;
}

export type HealthState = "ready" | "progressing" | "failed" | "suspended" | "unknown";

/** The state of an object, computed from the object alone. */
export interface Health {
  readonly state: HealthState;
  /** Empty if the object is ready. */
  readonly reason: string;
  /** False if the object has no rule and reports nothing that shows its state. */
  readonly isReported: boolean;
  /** The place of the rule, as in `HealthRule.source`. */
  readonly rule: string;
}

/** A state with its reason. `isReported` is true by default. */
export type Judgment = Pick<Health, "state" | "reason"> & Partial<Pick<Health, "isReported">>;
