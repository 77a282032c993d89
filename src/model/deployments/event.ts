import type { ChangeAction } from "../plan/plan.ts";
import type { Stage } from "../sources/compilation.ts";

/** A step before a plan exists, or instead of a plan. `reading` waits for the cluster. */
export type PreparationStep = "compiling" | "reading" | "planning" | "watching";

/**
 * An event of a run, for the code that displays it. The union is closed: a new state needs a new
 * case in each consumer.
 */
export type DeployEvent =
  /** The work before a plan exists, or instead of a plan. */
  | { readonly type: "preparing"; readonly step: PreparationStep }
  | {
      readonly type: "planned";
      readonly upserts: number;
      readonly deletions: number;
      readonly unchanged: number;
      /** The time limit of each object without its own, in milliseconds. */
      readonly timeoutMs?: number | undefined;
    }
  | { readonly type: "lock-waiting"; readonly holder: string }
  /** This run is newer, so it asked the holder to stop waiting for its rollout. */
  | { readonly type: "lock-asked"; readonly holder: string }
  /** qvs couldn't release the lock at the end. The next run must wait until the lock expires. */
  | { readonly type: "lock-kept"; readonly why: string }
  | { readonly type: "recorded"; readonly revision: number }
  | { readonly type: "stage-started"; readonly stage: Stage }
  | {
      readonly type: "applying";
      readonly key: string;
      readonly action: ChangeAction;
      /** The field managers whose fields this change takes over; undefined if there are none. */
      readonly transfers?: readonly string[] | undefined;
    }
  | { readonly type: "applied"; readonly key: string; readonly action: ChangeAction }
  | {
      readonly type: "waiting";
      readonly key: string;
      readonly why: string;
      /** True if the cluster reports a problem that waiting alone might not solve. */
      readonly isTrouble?: boolean;
      /** The object's own time limit, in milliseconds. Undefined for the limit of the run. */
      readonly timeoutMs?: number | undefined;
    }
  | { readonly type: "ready"; readonly key: string; readonly notice: string | undefined }
  | { readonly type: "failed"; readonly key: string; readonly why: string }
  | { readonly type: "deleting"; readonly key: string }
  | { readonly type: "deleted"; readonly key: string }
  | { readonly type: "kept"; readonly key: string; readonly why: string }
  /**
   * A newer run asks for the lock. Requests in progress are still completed. `by` is untrusted
   * text.
   */
  | { readonly type: "giving-way"; readonly by: string }
  /** A user requested a rollback. `to` describes the release. */
  | { readonly type: "rolling-back"; readonly revision: number; readonly to: string }
  /** The deployment failed, and qvs applies the last successful release again. */
  | { readonly type: "going-back"; readonly to: number }
  /** The run was asked to stop. Requests in progress are still completed. */
  | { readonly type: "stopping" }
  | {
      readonly type: "finished";
      readonly ending: "succeeded" | "failed" | "cancelled" | "superseded";
    };

/** The time span of the work on one object in a run. */
export interface Span {
  readonly key: string;
  /** Milliseconds since the epoch, like all times in this file. */
  readonly began: number;
  readonly ended: number;
  readonly ending: "done" | "failed" | "unfinished";
}

/** The times of a run, from planning to its end. */
export interface Timeline {
  readonly began: number;
  readonly ended: number;
  /** The time when the plan was complete; undefined if the run ended before that. */
  readonly planned?: number | undefined;
  /** Sorted by `began`. */
  readonly spans: readonly Span[];
}
