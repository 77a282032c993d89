import type { ApprovedPlans } from "../plan/approval.ts";
import type { PlanPolicy } from "../plan/plan.ts";
import type { Stage } from "../sources/compilation.ts";

export interface Limits {
  /**
   * The maximum number of concurrent requests.
   * Waiting is not limited. It costs nothing, and the awaited object might need an object that is
   * written later.
   */
  readonly concurrency: number;
  /** The maximum time for one object to become ready or to be deleted. */
  readonly timeoutMs: number;
  /** The maximum time in which no awaited object makes progress. Undefined for no limit. */
  readonly noProgressMs?: number | undefined;
}

export const defaultLimits: Limits = { concurrency: 16, timeoutMs: 600_000 };

/** The part of a request that decides a plan and whether it can be executed. */
export interface PlanningRequest {
  readonly policy: PlanPolicy;
  /** True to adopt a deployment that was last deployed from another config or repository. */
  readonly adopt: boolean;
  /** The only stage to deploy. The other one stays unchanged. */
  readonly onlyStage: Stage | undefined;
  readonly limits: Limits;
  /**
   * True if a rollback or a correction can restore objects that are cluster-scoped or in other
   * namespaces, as recorded. A deletion can then run such hooks.
   */
  readonly allowOutsideNamespace: boolean;
  /** False if a deletion runs no hooks of charts. */
  readonly runsHooks: boolean;
  /** True if a rollback or a correction continues although it can't restore everything. */
  readonly allowIrreversible: boolean;
  /** The id of the freeze that this run overrides. */
  readonly overrideFreeze: string | undefined;
  /**
   * The reaction to a commit that is older than the current release; `supersede` ends a late run
   * without a failure. Undefined if another commit will be deployed, so that none is compared.
   */
  readonly whenOlder: "refuse" | "supersede" | "allow" | undefined;
  /** The approvals, and the policy for a plan without one; undefined if no approval is needed. */
  readonly expected: ApprovedPlans | undefined;
  /** The number of newest releases to keep; undefined for the default, and in a preview. */
  readonly keepReleases?: number | undefined;
}

/**
 * Everything that one run was asked to do, by flags or inputs. It is plain data. Each layer passes
 * the same object on and reads the part that its parameter's type names.
 */
export interface DeployRequest extends PlanningRequest {
  /** True to wait for another run of this deployment; false to fail. */
  readonly waitForLock: boolean;
  /** The number of newest releases to keep; undefined for the default. */
  readonly keepReleases: number | undefined;
  /** The action after a failed deployment. */
  readonly onFailure: "keep" | "rollback";
  /** True if a rollback can restore a failed release. */
  readonly allowFailed: boolean;
}

/** The request of a run without flags. A request with fewer flags overrides members of it. */
export const defaultRequest: DeployRequest = {
  policy: { allowDelete: [], conflicts: { force: false, takeover: [] } },
  adopt: false,
  onlyStage: undefined,
  limits: defaultLimits,
  allowOutsideNamespace: false,
  runsHooks: true,
  allowIrreversible: false,
  overrideFreeze: undefined,
  whenOlder: "refuse",
  expected: undefined,
  waitForLock: true,
  keepReleases: undefined,
  onFailure: "keep",
  allowFailed: false,
};
