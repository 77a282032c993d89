import type { ApplyResult } from "../apply/summarize-run.ts";
import type { Challenger } from "../model/cluster/deployment-lock.ts";
import type { Timeline } from "../model/deployments/event.ts";
import type { Release } from "../model/deployments/release.ts";
import type { Plan } from "../model/plan/plan.ts";
import type { RollbackPreview } from "../model/plan/predictions.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { Remainder } from "./recording/end-deployment.ts";
import type { FailureRollback } from "./roll-back-after-failure.ts";

export type DeployOutcome = DeployedOutcome | SupersededOutcome;

export interface DeployedOutcome {
  readonly type: "deployed";
  readonly plan: Plan;
  /** The new release, or the current release if nothing was changed. */
  readonly release: Release;
  readonly isNewRelease: boolean;
  /** The release that a rollback restores; undefined for a deployment. */
  readonly rollbackOf: number | undefined;
  readonly result: ApplyResult;
  /** The duration of each step. */
  readonly timeline?: Timeline;
  /** The newer run that superseded this one before its end; undefined if there is none. */
  readonly superseded?: Challenger | undefined;
  /**
   * The newest release that succeeded and has other objects than the current ones; undefined if
   * there is none.
   */
  readonly previous: number | undefined;
  /** True if no earlier release of the deployment succeeded. */
  readonly isFirst?: boolean;
  /**
   * The remains of a deleted deployment; undefined if it wasn't deleted, or if the deletion failed.
   */
  readonly remainder?: Remainder | undefined;
  /** The rollback of this deployment as predicted; undefined if it returns to no release. */
  readonly rollback?: RollbackPreview | undefined;
  /** The rollback after a failure; undefined if there was none. */
  readonly wentBack?: FailureRollback | undefined;
}

/**
 * Nothing was changed. Either the current release has a newer commit and this run was late, or a
 * newer run requested the lock.
 */
interface SupersededOutcome {
  readonly type: "superseded";
  readonly why: Problem;
}
