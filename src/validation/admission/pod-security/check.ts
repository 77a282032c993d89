import type { SecuredPod } from "./pod.ts";

/**
 * A requirement of the Pod Security Standards
 * (kubernetes.io/docs/concepts/security/pod-security-standards/).
 */
export interface PodSecurityCheck {
  /** The first Kubernetes minor version whose standard contains the requirement. */
  readonly since: number;
  /** The weaker requirement that this one replaces. */
  readonly replaces?: PodSecurityCheck;
  /**
   * Returns how a Pod violates the requirement, in the API server's words; undefined if it doesn't.
   */
  readonly violation: (pod: SecuredPod, minor: number) => PodSecurityViolation | undefined;
}

export interface PodSecurityViolation {
  readonly reason: string;
  readonly detail: string;
}

/** Combines a reason with its detail; returns undefined without a detail. */
export function toViolation(
  reason: string,
  detail: string | undefined,
): PodSecurityViolation | undefined {
  return detail === undefined ? undefined : { reason, detail };
}
