import type { SecuredPod } from "./pod.ts";

/**
 * A requirement of the Pod Security Standards
 * (kubernetes.io/docs/concepts/security/pod-security-standards/).
 */
export interface Check {
  /** The first Kubernetes minor version whose standard contains the requirement. */
  readonly since: number;
  /** The weaker requirement that this one replaces. */
  readonly replaces?: Check;
  /**
   * Returns how a Pod violates the requirement, in the API server's words; undefined if it doesn't.
   */
  readonly violation: (pod: SecuredPod, minor: number) => Violation | undefined;
}

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Combines a reason with its detail; returns undefined without a detail. */
export function violationOf(reason: string, detail: string | undefined): Violation | undefined {
  return detail === undefined ? undefined : { reason, detail };
}
