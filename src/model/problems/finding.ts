import type { ObjectAddress } from "../object.ts";
import type { FindingCode } from "./finding-codes.ts";
import type { Position } from "./problem.ts";

/** An error makes the check red, a warning is for the reviewer to weigh, a note is to be known. */
export type Severity = "error" | "warning" | "note";

/** The worst first. */
export const severities: readonly Severity[] = ["error", "warning", "note"];

/** What the cluster would do with a plan, told before it happens. It stops no deployment. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly object: ObjectAddress;
  /** One sentence that begins with the object's name: what will happen. No full stop. */
  readonly what: string;
  /** What it was computed from, with its numbers. No full stop; empty where `what` says all. */
  readonly why: string;
  /** One sentence: what to do about it. No full stop. */
  readonly fix: string;
  /** Lines of the manifest to paste, in YAML. */
  readonly paste?: readonly string[] | undefined;
  /** The field of the declared object that causes it; missing where it is none, or none alone. */
  readonly path?: readonly string[] | undefined;
  /** Where an adapter declares what causes it. */
  readonly where: readonly Position[];
  /** Set where an annotation of the object allows it: then it is only mentioned. */
  readonly allowed?: Allowed | undefined;
}

interface Allowed {
  /** Where the object is declared that has the annotation. */
  readonly where: readonly Position[];
}

export function isOpen({ allowed }: Finding): boolean {
  return allowed === undefined;
}
