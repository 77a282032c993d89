/** What a run that holds or wants the lock of a deployment tells the others of itself. */
export interface LockRun {
  readonly does: "deploy" | "rollback";
  /** What it deploys, by its full id; undefined where no commit says that, as with uncommitted changes. */
  readonly commit: string | undefined;
}

/** A run that asks the holder of the lock to give way. */
export interface Asker extends LockRun {
  /** Who it is, for people to see: a run URL, or user@host. Text from elsewhere. */
  readonly by: string;
}

/** How the runs of one deployment make room for each other (docs/reference/deployment.md#superseded-runs). */
export interface GiveWayRules {
  readonly self: LockRun;
  /** For the run that waits: whether it may ask this holder to give way. */
  asks(holder: LockRun): Promise<boolean>;
  /** For the holder: whether it gives way to this one. */
  yieldsTo(asker: LockRun): Promise<boolean>;
}
