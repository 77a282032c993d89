import type { ObjectAddress } from "../object.ts";
import type { FindingCode } from "./finding-codes.ts";
import type { Position } from "./problem.ts";

/**
 * The severity of a finding. An error fails the check, a warning needs a review, and a note is
 * information.
 */
export type Severity = "error" | "warning" | "note";

/** All severities, the worst first. */
export const severities: readonly Severity[] = ["error", "warning", "note"];

/**
 * A prediction about the cluster, such as a rollout that can't complete. It doesn't block a
 * deployment.
 */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly object: ObjectAddress;
  /** The prediction in one sentence that starts with the object's name, without a period. */
  readonly what: string;
  /** The reason with its numbers, without a period. Empty if `what` is enough. */
  readonly why: string;
  /** The fix in one sentence, without a period. */
  readonly fix: string;
  /** Lines of the manifest to paste, in YAML. */
  readonly paste?: readonly string[] | undefined;
  /** The path of the declared field that causes it. Undefined if no single field does. */
  readonly path?: readonly string[] | undefined;
  /** The places of the cause in adapters. */
  readonly where: readonly Position[];
  /** Set if an annotation of the object allows the finding, which is then only mentioned. */
  readonly allowed?: Allowed | undefined;
}

interface Allowed {
  /** The places that declare the object with the annotation. */
  readonly where: readonly Position[];
}

export function isOpen({ allowed }: Finding): boolean {
  return allowed === undefined;
}
