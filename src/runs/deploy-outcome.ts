import type { ApplyResult } from "../apply/result.ts";
import type { Asker } from "../model/cluster/lock-run.ts";
import type { Plan } from "../model/plan.ts";
import type { Problem } from "../model/problems/problem.ts";
import type { Release } from "../model/release.ts";
import type { Timeline } from "../model/timeline.ts";
import type { WentBack } from "./go-back.ts";
import type { Remainder } from "./recording/end-deployment.ts";

export type DeployOutcome = DeployedOutcome | SupersededOutcome;

export interface DeployedOutcome {
  readonly type: "deployed";
  readonly plan: Plan;
  /** Where nothing was to be changed, the one that ran before and still does. */
  readonly release: Release;
  readonly isNewRelease: boolean;
  /** The release that was to be gone back to; undefined for a deployment. */
  readonly rollbackOf: number | undefined;
  readonly result: ApplyResult;
  /** What took how long. */
  readonly timeline?: Timeline;
  /** The newer run that this one gave way to before all was done; undefined where it did not. */
  readonly superseded?: Asker | undefined;
  /** The newest release that succeeded and has other objects than those that run now; undefined where there is none. */
  readonly previous: number | undefined;
  /** What is left of a deployment that was to be deleted; undefined where none was, or that failed. */
  readonly remainder?: Remainder | undefined;
  /** Set where the deployment has failed and was to go back then. */
  readonly wentBack?: WentBack | undefined;
}

/** Nothing was changed: a newer commit runs already, and this run was merely late, or a newer run asked for the lock. */
interface SupersededOutcome {
  readonly type: "superseded";
  readonly why: Problem;
}
