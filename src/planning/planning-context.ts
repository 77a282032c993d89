import type { Stage } from "../model/compilation.ts";
import type { Deployment } from "../model/deployment.ts";
import type { Earlier } from "../model/earlier.ts";
import type { Plan, PlanPolicy } from "../model/plan.ts";
import type { ReleaseSource } from "../model/release.ts";
import type { restoredBy } from "../plan/approval/restores.ts";
import type { Cluster } from "../ports/kubernetes.ts";
import type { CommitOrder } from "./checks/check-commit-order.ts";
import type { TryLock } from "./checks/check-lock-and-record.ts";
import type { Checked } from "./checks/checked.ts";
import type { ReadAhead } from "./read-ahead.ts";

/** One deployment, its cluster, and the rules that its plan is made by. */
export interface PlanningContext {
  readonly cluster: Cluster;
  /** The releases, where they are being read already. */
  readonly recorded?: ReadAhead["recorded"] | undefined;
  readonly deployment: Deployment;
  readonly policy: PlanPolicy;
  /** Take over a deployment that was last deployed from another config or repository. */
  readonly adopt: boolean;
  /** A rollback may bring things cluster-wide or into other namespaces. */
  readonly allowOutsideNamespace: boolean;
  /** A rollback may go back where something of it is lost. */
  readonly allowIrreversible?: boolean | undefined;
  readonly onlyStage: Stage | undefined;
  /**
   * Compares the plan with what was approved; undefined where any is welcome. It is told which operations only restore what the
   * running release declares.
   */
  readonly checkPlan?:
    | ((plan: Plan, restores: ReturnType<typeof restoredBy>) => Checked)
    | undefined;
  /** A preview may be made by an identity with fewer rights than the one that deploys. */
  readonly purpose: "preview" | "deploy";
  /** "needed": without those that applying does as well. */
  readonly dryRuns: "all" | "needed";
  /** Asks whether the lock could be taken; undefined under that lock. */
  readonly tryLock: TryLock | undefined;
  readonly concurrency: number;
  /** How long the deployment would wait for one object; undefined where that is not known yet. */
  readonly timeoutMs?: number | undefined;
  /** Whether a pull request changes what is deployed; undefined outside of one. */
  readonly isChangedHere?: boolean | undefined;
  /** What the deployments that it waits for will have changed by then, in a preview of all of them. */
  readonly earlier?: Earlier | undefined;
  /** Compares the commit with the one that runs; undefined where it is not this commit that will be deployed. */
  readonly order?: CommitOrder | undefined;
  /** The time of now (ISO 8601). */
  readonly now: string;
  /** The freeze that does not hold for this run, by its id. */
  readonly overrideFreeze?: string | undefined;
  /** Where the deployment would be made from. */
  readonly source: ReleaseSource;
  /** Where the size of the record matters. */
  readonly compress?: ((text: string) => Uint8Array) | undefined;
  readonly decompress: (bytes: Uint8Array) => string;
  /** SHA-256 in hex. */
  readonly hash: (text: string) => string;
}

/** Whether somebody reads the plan before it is executed, as all do that are made without the lock and with every dry-run. */
export function isRead({ dryRuns, tryLock }: PlanningContext): boolean {
  return dryRuns === "all" && tryLock !== undefined;
}
