import type { Position } from "./problems/problem.ts";

/** The expressions of a health rule in CEL (docs/reference/health-rules.md#form). */
export interface HealthExpressions {
  /** Boolean expressions. The first one that is true decides, in this order. */
  readonly inProgress?: string | undefined;
  readonly failed?: string | undefined;
  readonly suspended?: string | undefined;
  readonly current: string;
  /** An expression for the reason, a string. */
  readonly message?: string | undefined;
}

/** The names of the expressions in the order of their evaluation. */
export const healthExpressions = [
  "inProgress",
  "failed",
  "suspended",
  "current",
  "message",
] as const;

/**
 * Decides the state of the objects of some kinds. The form of the expressions is the one of Flux's
 * `healthCheckExprs`, and `suspended` and `message` in addition.
 */
export interface HealthRule extends HealthExpressions {
  /** API groups. `*.example.com` matches the groups with this suffix. */
  readonly groups: readonly string[];
  /** Kinds, or `*` for all kinds of these groups that have no rule of their own. */
  readonly kinds: readonly string[];
  /** The place of the rule: `built-in: cert-manager.yaml`, or a file with its line. */
  readonly source: string;
}

/** A rule in a config or an adapter. It is about one kind, in all its API versions. */
export interface DeclaredHealthRule extends HealthExpressions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly where: Position;
  /** The places of the expressions, where they are known. */
  readonly places: Readonly<Partial<Record<(typeof healthExpressions)[number], Position>>>;
}
