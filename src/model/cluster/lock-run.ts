/** The description of a run, for the other runs that hold or wait for the deployment lock. */
export interface LockRun {
  readonly does: "deploy" | "rollback";
  /**
   * The full id of the deployed commit; undefined if no commit matches, as with uncommitted
   * changes.
   */
  readonly commit: string | undefined;
}

/** A run that asks the lock holder to yield. */
export interface Challenger extends LockRun {
  /** The run, as shown to users: a run URL or user@host. The text is untrusted. */
  readonly by: string;
}

/**
 * The rules by which runs of one deployment yield (docs/reference/deployment.md#superseded-runs).
 */
export interface YieldRules {
  readonly self: LockRun;
  /** Reports whether this waiting run can ask the holder to yield. */
  mayChallenge(holder: LockRun): Promise<boolean>;
  /** Reports whether this holder yields to the run that asks. */
  yieldsTo(asker: LockRun): Promise<boolean>;
}
