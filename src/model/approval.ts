import type { CapabilityAnswer } from "./compilation.ts";
import type { PlannedOperation } from "./plan.ts";

/**
 * The approval of a plan: its digest and, if there was room, the codes of its operations. It
 * contains no names or values, so qvs can store it in a hidden line of a comment and in files.
 */
export interface Approval {
  /** The SHA-256 in hex. A user can enter only its first characters. */
  readonly digest: string;
  /** The codes that `toApproval` makes; undefined if only the digest is known. */
  readonly operations?: readonly string[] | undefined;
}

/** An approval with the place where it was given. */
interface LocatedApproval extends Approval {
  /** The place, e.g. `#12`; empty if a user gave the approval to this run. */
  readonly by: string;
}

/** The reaction to a plan that isn't approved. */
export type ApprovalPolicy = "require" | "warn";

/** The approvals of the plans of one deployment. */
export interface ApprovedPlans {
  readonly policy: ApprovalPolicy;
  readonly approvals: readonly LocatedApproval[];
  /**
   * The reasons for missing approvals, one sentence each: an edited comment, a push without a pull
   * request.
   */
  readonly missing: readonly string[];
  /** The operations that an approved plan shows, if more than their codes is known. */
  readonly shown?: readonly ShownOperation[] | undefined;
  /** The answers of the cluster that an approved plan depends on, if they are known. */
  readonly answers?: readonly CapabilityAnswer[] | undefined;
}

/** One operation of a plan, as a preview shows it. */
export interface ShownOperation {
  readonly action: string;
  readonly name: string;
  readonly diff: readonly string[];
}

/** The result of comparing a plan with the approvals. Only `other` isn't covered by them. */
export type ApprovalComparison =
  /** The plan was approved, or it does nothing. `by` lists where it was approved. */
  | { readonly type: "same"; readonly by: readonly string[] }
  | {
      /**
       * `less`: the plan is a part of the approved one. `drift`: in addition, it restores only
       * objects that the current release declares.
       */
      readonly type: "less" | "drift";
      readonly by: readonly string[];
      /** The codes of approved operations that the plan no longer contains. */
      readonly absent: readonly string[];
      readonly restored: readonly PlannedOperation[];
    }
  | {
      readonly type: "other";
      readonly by: readonly string[];
      readonly absent: readonly string[];
      /**
       * The operations without approval, each with the code that was approved for the same object.
       */
      readonly additional: readonly UnapprovedOperation[];
      /** Approvals with only a digest. They cover only a plan with the same digest. */
      readonly digestsOnly: readonly LocatedApproval[];
    };

interface UnapprovedOperation {
  readonly operation: PlannedOperation;
  readonly approved: string | undefined;
}
