import type { PlannedOperation } from "./plan.ts";

/**
 * What somebody who looked at a plan has approved: its digest and, where there was room for it, what it does, one operation after
 * the other. Plain data without names or values, for a hidden line of a comment and for files.
 */
export interface Approval {
  /** SHA-256 in hex, in full or, where a person has given it, its first characters. */
  readonly digest: string;
  /** Codes as `approvalOf` makes them; undefined where only the digest is known. */
  readonly operations?: readonly string[] | undefined;
}

/** An approval that counts. */
interface GivenApproval extends Approval {
  /** Where it was given, e.g. `#12`; empty where a person has given it to this very run. */
  readonly by: string;
}

/** What is done with a plan that was not approved. */
export type ApprovalPolicy = "require" | "warn";

/** What was approved of one deployment. */
export interface ApprovedPlans {
  readonly policy: ApprovalPolicy;
  readonly approvals: readonly GivenApproval[];
  /** Why there are not more of them, a sentence each: a comment that was edited, a push without a pull request. */
  readonly missing: readonly string[];
  /** What an approved plan shows, where more than its codes is known. */
  readonly shown?: readonly ShownOperation[] | undefined;
}

/** One thing that a plan does, as a preview shows it. */
export interface ShownOperation {
  readonly action: string;
  readonly name: string;
  readonly diff: readonly string[];
}

/** What a plan has to do with what was approved. Only `other` is not what somebody has agreed to. */
export type Agreement =
  /** What was approved, or nothing at all. `by` tells where it was approved. */
  | { readonly type: "same"; readonly by: readonly string[] }
  | {
      /** `less`: a part of what was approved. `drift`: besides that, only what the running release declares is restored. */
      readonly type: "less" | "drift";
      readonly by: readonly string[];
      /** What was approved and is not done any more, as codes. */
      readonly absent: readonly string[];
      readonly restored: readonly PlannedOperation[];
    }
  | {
      readonly type: "other";
      readonly by: readonly string[];
      readonly absent: readonly string[];
      /** What nobody has approved, with the code of what was approved for the same object. */
      readonly additional: readonly Additional[];
      /** Approvals of which only the digest is known, so that nothing but the very same plan agrees with them. */
      readonly digestsOnly: readonly GivenApproval[];
    };

interface Additional {
  readonly operation: PlannedOperation;
  readonly approved: string | undefined;
}
