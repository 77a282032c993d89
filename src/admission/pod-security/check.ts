import type { SecuredPod } from "./pod.ts";

/** One requirement of the Pod Security Standards (kubernetes.io/docs/concepts/security/pod-security-standards/). */
export interface Check {
  /** The first minor version of Kubernetes whose standard has it. */
  readonly since: number;
  /** A weaker one in whose place it is asked for. */
  readonly replaces?: Check;
  /** What a Pod does against it, in the words of the server; undefined where it does nothing. */
  readonly violation: (pod: SecuredPod, minor: number) => Violation | undefined;
}

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** The reason with what is done against it, where anything is. */
export function violationOf(reason: string, detail: string | undefined): Violation | undefined {
  return detail === undefined ? undefined : { reason, detail };
}
