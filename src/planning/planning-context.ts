import type { PlanningRequest } from "../model/deployments/deploy-request.ts";
import type { Deployment, ListingLookup } from "../model/deployments/deployment.ts";
import type {
  OtherDeclarations,
  UpstreamDeployments,
} from "../model/deployments/other-deployments.ts";
import type { ReleaseSource } from "../model/deployments/release.ts";
import type { Plan } from "../model/plan/plan.ts";
import type { createRestoreCheck } from "../plan/approval/compare-with-approved.ts";
import type { CommitRelation } from "../ports/git.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { TryLock } from "./checks/check-lock-and-record.ts";
import type { CheckResult } from "./checks/check-result.ts";
import type { ReadAhead } from "./live/read-ahead.ts";

/** A deployment, its cluster, and the request for its plan. */
export interface PlanningContext {
  readonly request: PlanningRequest;
  readonly cluster: Cluster;
  /** The releases, if qvs is already reading them. */
  readonly recorded?: ReadAhead["recorded"] | undefined;
  readonly deployment: Deployment;
  /**
   * Compares the plan with the approved one; undefined if the run needs no approval.
   * `restores` contains the operations that only restore declarations of the current release.
   */
  readonly checkPlan?:
    | ((plan: Plan, restores: ReturnType<typeof createRestoreCheck>) => CheckResult)
    | undefined;
  /**
   * The purpose of the plan; a preview's identity can have fewer permissions than the deploying
   * one.
   */
  readonly purpose: "preview" | "deploy";
  /** The dry runs to send; `needed` omits those that the apply itself makes unnecessary. */
  readonly dryRuns: "all" | "needed";
  /** Checks whether qvs could take the lock; undefined if the run already has it. */
  readonly dryRunLock: TryLock | undefined;
  /** True to also plan the rollback of the plan, for the reader or for `require: reversible`. */
  readonly predictsRollback?: true | undefined;
  /** True if no one reads the findings, so that qvs predicts none. */
  readonly omitsFindings?: true | undefined;
  /**
   * The time limit for one object in the deployment; undefined if it isn't known yet. A preview can
   * lack it, although its request has limits.
   */
  readonly timeoutMs: number | undefined;
  /** True if the pull request changes the deployment; undefined outside a pull request. */
  readonly isChangedHere?: boolean | undefined;
  /** The changes of the deployments that this one waits for, in a preview of all of them. */
  readonly upstream?: UpstreamDeployments | undefined;
  /** Returns the objects that other deployments declare; missing if the run has only this one. */
  readonly declaredElsewhere?: (() => Promise<readonly OtherDeclarations[]>) | undefined;
  compareCommits(commit: string, other: string): Promise<CommitRelation>;
  /** Looks up a deployment in the newest commit of the branch; undefined if none is deployed. */
  readonly listing?: ListingLookup | undefined;
  /** The current time (ISO 8601). */
  readonly now: string;
  /** The source of the deployment, such as its repository, commit and config. */
  readonly source: ReleaseSource;
  /** Compresses a text; set if the size of the record matters. */
  readonly compress?: ((text: string) => Uint8Array) | undefined;
  readonly decompress: (bytes: Uint8Array) => string;
  /** Returns the SHA-256 hash in hex. */
  readonly hash: (text: string) => string;
}

/**
 * Reports whether a user reads the plan before its execution.
 * This is true of every plan that is made without the lock, except that of a drift.
 */
export function isReadByUser({ dryRunLock }: PlanningContext): boolean {
  return dryRunLock !== undefined;
}
